// Command zip packs folders so that the same files give the same bytes: sorted, without times, owners or odd permissions.
package main

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: zip FILE.zip FOLDER NAME...   (files and folders within FOLDER)")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "zip:", err)
		os.Exit(1)
	}
}

func pack(file, folder string, names []string) (err error) {
	var all []string
	for _, name := range names {
		err := filepath.WalkDir(filepath.Join(folder, name), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				all = append(all, path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(all)
	// In its place at once, and only when it is whole.
	out, err := os.CreateTemp(filepath.Dir(file), ".zip")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(out.Name())
		}
	}()
	writer := zip.NewWriter(out)
	for _, path := range all {
		if err := add(writer, folder, path); err != nil {
			return err
		}
	}
	if err := writer.Close(); err != nil {
		return err
	}
	if err := out.Chmod(0o644); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(out.Name(), file)
}

func add(writer *zip.Writer, folder, path string) error {
	name, err := filepath.Rel(folder, path)
	if err != nil {
		return err
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	header := &zip.FileHeader{Name: filepath.ToSlash(name), Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	header.SetMode(0o644)
	to, err := writer.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, in)
	return err
}
