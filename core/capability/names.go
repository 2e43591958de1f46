package capability

import (
	"strconv"
	"strings"
)

// maxWorldBytes leaves room for "x.aicc.", a tool's id and the points in a name.
const maxWorldBytes = 48

// Slug is how a world's name stands in a capability's name: letters a to z and digits stay, in lower case; whatever stands between
// them, however long, becomes one _; none is left at either end; at most 48 bytes; "world" when nothing is left.
func Slug(world string) string {
	var b strings.Builder
	gap := false
	for i := 0; i < len(world); i++ {
		c := world[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9') {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteByte(c)
	}
	s := strings.TrimRight(b.String()[:min(b.Len(), maxWorldBytes)], "_")
	if s == "" {
		return "world"
	}
	return s
}

// ToolID is the id of a tool made from a foreign document: the name with _ for each point; with c_ before it unless it
// begins with a letter; at most 64 bytes.
func ToolID(name string) string {
	id := strings.ReplaceAll(name, ".", "_")
	if id == "" || id[0] < 'a' || id[0] > 'z' {
		id = "c_" + id
	}
	return id[:min(len(id), maxToolIDBytes)]
}

// taken hands out names that differ.
type taken map[string]bool

// free gives name, or when that is gone the first of name_2, name_3 that is not, cut so that it has at most most bytes.
func (t taken) free(name string, most int) string {
	free := name
	for i := 2; t[free]; i++ {
		tail := "_" + strconv.Itoa(i)
		free = name[:min(len(name), most-len(tail))] + tail
	}
	t[free] = true
	return free
}
