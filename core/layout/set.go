package layout

import (
	"fmt"
	"sync"
)

// Set numbers the layouts of a process, from 1, and gives the same one for the same Spec. Nothing is ever taken out. Any goroutine may use it;
// the zero value is empty.
type Set struct {
	mutex   sync.RWMutex
	layouts []*Layout
	byWire  map[string]*Layout
}

// Define compiles the Spec whose wire form this is, unless the set has it.
func (s *Set) Define(wire []byte) (*Layout, *Fault) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if l := s.byWire[string(wire)]; l != nil {
		return l, nil
	}
	spec, fault := ParseSpec(wire, s.find)
	if fault != nil {
		return nil, fault
	}
	if len(s.layouts) == MaxLayouts {
		return nil, &Fault{TooMany, -1, "", "", fmt.Sprintf("there are %d layouts already; define each once", MaxLayouts)}
	}
	l, fault := compile(&spec, uint32(len(s.layouts)+1))
	if fault != nil {
		return nil, fault
	}
	if s.byWire == nil {
		s.byWire = make(map[string]*Layout)
	}
	s.layouts = append(s.layouts, l)
	s.byWire[string(wire)] = l
	return l, nil
}

// Find gives the layout of a number, nil when there is none.
func (s *Set) Find(number uint32) *Layout {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	return s.find(number)
}

func (s *Set) find(number uint32) *Layout {
	if number == 0 || uint64(number) > uint64(len(s.layouts)) {
		return nil
	}
	return s.layouts[number-1]
}
