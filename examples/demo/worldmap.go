package main

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// mark is a sign on the map and what it stands for.
type mark struct {
	sign byte
	says string
	at   [2]float64
}

// Signs on the map.
const (
	signGuard = '@'
	signNoise = '!'
	signThief = 'T'
	signStep  = ':'
	signLight = '.'
)

const (
	mapColumns = 46 // of the inside of its frame
	mapRows    = 7
	mapMargin  = 3
)

// drawMap draws a view of the world with marks, later ones over earlier ones, and below it what the signs mean.
func drawMap(v view, marks []mark) []string {
	minX, minY, maxX, maxY := v.At[0], v.At[1], v.At[0], v.At[1]
	for _, p := range v.Map {
		minX, maxX = math.Min(minX, p[0]), math.Max(maxX, p[0])
		minY, maxY = math.Min(minY, p[1]), math.Max(maxY, p[1])
	}
	spanX, spanY := math.Max(maxX-minX, 1), math.Max(maxY-minY, 1)
	const width, height = mapColumns - 2*mapMargin - 6, mapRows - 3 // room for names on the right
	place := func(p [2]float64) (column, row int) {
		column = mapMargin + int(math.Round((p[0]-minX)/spanX*(width-1)))
		row = 1 + int(math.Round((p[1]-minY)/spanY*height))
		return min(max(column, 0), mapColumns-1), min(max(row, 0), mapRows-1)
	}

	grid := make([][]byte, mapRows)
	for row := range grid {
		grid[row] = []byte(strings.Repeat(" ", mapColumns))
	}
	put := func(column, row int, text string) {
		for i := 0; i < len(text) && column+i < mapColumns; i++ {
			if grid[row][column+i] = text[i]; text[i] < ' ' || text[i] > '~' {
				grid[row][column+i] = '?'
			}
		}
	}
	if v.Light > 0 {
		for row := range grid {
			for column := range grid[row] {
				x := (float64(column)-mapMargin)/(width-1)*spanX + minX - v.At[0]
				y := (float64(row)-1)/height*spanY + minY - v.At[1]
				if math.Hypot(x, y) < v.Light && (row+column)%2 == 0 {
					grid[row][column] = signLight
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Map)) {
		column, row := place(v.Map[name])
		put(column+2, row, name)
	}
	guard := mark{signGuard, "the guard, in the dark", v.At}
	if v.Light > 0 {
		guard.says = "the guard with his lantern"
	}
	legend, known := "", map[byte]bool{}
	for _, m := range append(append([]mark(nil), marks...), guard) {
		column, row := place(m.at)
		if old := grid[row][column]; m.sign != signStep && old != ' ' && old != signLight && column > 0 {
			column-- // someone stands there already
		}
		grid[row][column] = m.sign
		if !known[m.sign] {
			known[m.sign] = true
			legend = string(m.sign) + " " + m.says + "   " + legend
		}
	}

	frame := "+" + strings.Repeat("-", mapColumns) + "+"
	lines := []string{frame}
	for _, row := range grid {
		lines = append(lines, "|"+string(row)+"|")
	}
	return append(lines, frame, strings.TrimRight(legend, " "))
}

// paintMap colours the signs of a line of the map.
func (n *narrator) paintMap(line string) string {
	if !strings.HasPrefix(line, "|") {
		return line
	}
	var painted strings.Builder
	for _, sign := range []byte(line) {
		colour := map[byte]string{signGuard: yellow, signNoise: red, signThief: red, signStep: cyan, signLight: yellow}[sign]
		painted.WriteString(n.paint(colour, string(sign)))
	}
	return painted.String()
}
