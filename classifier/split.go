package classifier

import (
	"errors"
	"fmt"
	"strings"
)

// Split takes a command apart into words as a POSIX shell does (Shell Command Language, section 2.2 "Quoting", read
// 2026-11-30): blanks, '…', "…" and \. Nothing is expanded, since no shell runs; what a shell would act on is an error
// unless it is quoted, so that nobody waits for an expansion that never comes.
func Split(command string) ([]string, error) {
	s := splitter{rest: command}
	for s.rest != "" {
		if err := s.step(); err != nil {
			return nil, err
		}
	}
	s.finish()
	if len(s.words) == 0 || s.words[0] == "" {
		return nil, errors.New("it names no program")
	}
	if strings.ContainsRune(command, 0) {
		return nil, errors.New("a NUL can't stand in a command")
	}
	return s.words, nil
}

type splitter struct {
	rest   string
	words  []string
	word   strings.Builder
	inWord bool
}

func (s *splitter) finish() {
	if s.inWord {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.inWord = false
}

func (s *splitter) step() error {
	c := s.rest[0]
	s.rest = s.rest[1:]
	switch {
	case strings.IndexByte(" \t\r\n", c) >= 0:
		s.finish()
		return nil
	case c == '\'':
		text, rest, closed := strings.Cut(s.rest, "'")
		if !closed {
			return errors.New("a ' is not closed")
		}
		s.word.WriteString(text)
		s.rest = rest
	case c == '"':
		if err := s.double(); err != nil {
			return err
		}
	case c == '\\':
		if s.rest == "" {
			return errors.New(`it ends in a \`)
		}
		s.word.WriteByte(s.rest[0])
		s.rest = s.rest[1:]
	case strings.IndexByte("|&;<>()$`*?[", c) >= 0, (c == '~' || c == '#') && !s.inWord:
		return fmt.Errorf("%q means something to a shell, but none runs it; quote it, or name a shell yourself: sh -c '…'", c)
	default:
		s.word.WriteByte(c)
	}
	s.inWord = true
	return nil
}

// double reads up to the closing quote; a backslash keeps its meaning before few characters only.
func (s *splitter) double() error {
	for s.rest != "" {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch {
		case c == '"':
			return nil
		case c == '\\' && s.rest != "" && strings.IndexByte("\"\\$`", s.rest[0]) >= 0:
			s.word.WriteByte(s.rest[0])
			s.rest = s.rest[1:]
		case c == '$' || c == '`':
			return fmt.Errorf("%q means something to a shell, but none runs it; quote it, or name a shell yourself: sh -c '…'", c)
		default:
			s.word.WriteByte(c)
		}
	}
	return errors.New(`a " is not closed`)
}
