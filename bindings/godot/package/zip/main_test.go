package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSameFilesSameBytes(t *testing.T) {
	pack1 := func(mode os.FileMode, at time.Time, order ...string) []byte {
		folder := t.TempDir()
		for _, name := range order {
			path := filepath.Join(folder, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte("this is "+name), mode))
			require.NoError(t, os.Chtimes(path, at, at))
		}
		file := filepath.Join(t.TempDir(), "out.zip")
		require.NoError(t, pack(file, folder, []string{"addons"}))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return text
	}
	now := time.Now()
	first := pack1(0o600, now, "addons/a/x", "addons/b", "outside")
	require.Equal(t, first, pack1(0o755, now.Add(-time.Hour), "addons/b", "outside", "addons/a/x"))

	file := filepath.Join(t.TempDir(), "one.zip")
	require.NoError(t, os.WriteFile(file, first, 0o600))
	read, err := zip.OpenReader(file)
	require.NoError(t, err)
	defer read.Close()
	var names []string
	for _, entry := range read.File {
		names = append(names, entry.Name)
		require.Equal(t, os.FileMode(0o644), entry.Mode())
	}
	require.Equal(t, []string{"addons/a/x", "addons/b"}, names)
}

func TestNothingIsLeftOfAFailure(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "out.zip")
	require.ErrorContains(t, pack(file, folder, []string{"not there"}), "not there")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}
