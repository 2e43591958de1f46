// Package quiet keeps the command from asking the terminal for its colours before it knows what it is to do.
//
// Bubble Tea asks in its init, so that every command of a program that links it would: a terminal that does not answer costs five seconds, and the question
// stands in the output. Nothing here needs the answer, all colours are the sixteen that each terminal has. Packages are initialised in the order of
// their paths as soon as what they import is, so this one, which imports nothing but Lip Gloss, comes before Bubble Tea.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
