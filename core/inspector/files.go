package inspector

import (
	"embed"
	"path"
)

// What the page consists of. It asks for nothing that is not here.
//
//go:embed page/*.html page/*.css page/*.js page/*.svg
var files embed.FS

var kinds = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// File gives a part of the page by its name; "" is the page itself.
func (h *Hub) File(name string) (kind string, content []byte, ok bool) {
	if name == "" {
		name = "index.html"
	}
	if kind = kinds[path.Ext(name)]; kind == "" || path.Base(name) != name {
		return "", nil, false
	}
	content, err := files.ReadFile("page/" + name)
	return kind, content, err == nil
}
