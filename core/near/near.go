// Package near tells how far a word is from the one that was meant.
package near

// Distance counts the letters to put in, leave out, change, or swap with their neighbour. What is farther than most is most+1; words whose
// lengths differ by more cost nothing, so a stranger's may be of any length.
func Distance(a, b string, most int) int {
	if longer := len(a) - len(b); longer > most*maxLetter || -longer > most*maxLetter {
		return most + 1
	}
	x, y := []rune(a), []rune(b)
	if longer := len(x) - len(y); longer > most || -longer > most {
		return most + 1
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(y)], most+1)
}

// maxLetter is how many bytes a letter has at most.
const maxLetter = 4
