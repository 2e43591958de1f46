package session

// use is how much of a tool's limits a session has used. It lives across resumes (DESIGN 5.7).
type use struct {
	tool  *Tool
	total int64
	times []int64 // of the accepted calls in the last 60 s, from first on
	first int
}

const minute = 60 * second

func (s *Session) use(t *Tool) *use {
	for i := range s.uses {
		if s.uses[i].tool == t {
			return &s.uses[i]
		}
	}
	return nil
}

// recent drops what is older than 60 s and gives the number of the rest.
func (u *use) recent(now int64) int {
	for u.first < len(u.times) && now-u.times[u.first] >= minute {
		u.first++
	}
	return len(u.times) - u.first
}

// wait is how long a tool that may be called so often a minute can not be called; 0: not at all.
func (u *use) wait(perMinute int, now int64) int64 {
	n := u.recent(now)
	if perMinute == 0 || n < perMinute {
		return 0
	}
	return u.times[u.first+n-perMinute] + minute - now
}

// countUse notes an accepted call of a tool that has limits.
func (s *Session) countUse(t *Tool) {
	if t.PerMinute == 0 && t.PerSession == 0 {
		return
	}
	u := s.use(t)
	if u == nil {
		s.dropUses()
		s.uses = append(s.uses, use{tool: t})
		u = &s.uses[len(s.uses)-1]
	}
	u.total++
	if t.PerMinute == 0 {
		return
	}
	u.recent(s.w.now)
	if u.first > 0 && len(u.times) == cap(u.times) {
		u.times = u.times[:copy(u.times, u.times[u.first:])]
		u.first = 0
	}
	u.times = append(u.times, s.w.now)
}

// dropUses forgets what was used of tools that are gone.
func (s *Session) dropUses() {
	list := s.uses[:0]
	for _, u := range s.uses {
		if !u.tool.Removed {
			list = append(list, u)
		}
	}
	clear(s.uses[len(list):])
	s.uses = list
}
