package report

// readable is the least number of columns for a value; with less, values stand below their key.
const readable = 28

// table writes facts in columns: key, how it differs, values.
func (p *page) table(facts []fact) {
	keyW, howW := 0, 0
	for _, f := range facts {
		if f.empty() {
			continue
		}
		keyW = max(keyW, width(f.key))
		howW = max(howW, width(f.how))
	}
	howAt := indent + keyW + 2
	valueAt := howAt
	if howW > 0 {
		valueAt += howW + 2
	}
	stacked := p.width-valueAt-labelWidth(facts) < readable
	for _, f := range facts {
		switch start := pad("", indent) + pad(f.key, keyW) + "  "; {
		case f.empty():
		case f.remark != "":
			p.hanging(start, f.remark)
		case stacked || !f.fits(p.width-valueAt):
			p.line(word{}, start+f.how)
			p.values(pad("", 2*indent), f.values)
			p.below(2*indent, f.note)
		default:
			p.values(start+pad(f.how, valueAt-howAt), f.values)
			p.below(valueAt, f.note)
		}
	}
}

// below writes a note under the values that it is about.
func (p *page) below(column int, note safe) {
	if note != "" {
		p.hanging(pad("", column), note)
	}
}

func (f fact) empty() bool { return f.remark == "" && len(f.values) == 0 }

// fits reports whether all values can be shown whole in so many columns.
func (f fact) fits(room int) bool {
	room -= labelWidth([]fact{f})
	for _, v := range f.values {
		if !fits(v.value.units, room-width(v.value.after)) {
			return false
		}
	}
	return true
}

func labelWidth(facts []fact) int {
	w := 0
	for _, f := range facts {
		for _, v := range f.values {
			if v.label != "" {
				w = max(w, width(v.label)+2)
			}
		}
	}
	return w
}

// values writes the values of one key below each other, the first behind start.
func (p *page) values(start safe, values []labelled) {
	labelW := labelWidth([]fact{{values: values}})
	room := p.width - width(start) - labelW
	for i, lines := range p.fit(values, room) {
		label := pad(values[i].label, labelW)
		for _, l := range lines {
			p.line(word{}, start+label+l)
			start, label = pad("", width(start)), pad("", labelW)
		}
	}
}

// fit brings values into the room: folded when all was asked for, else cut, the first two with an eye on each other.
func (p *page) fit(values []labelled, room int) [][]safe {
	out := make([][]safe, len(values))
	for i, v := range values {
		if p.verbose {
			out[i] = folded(v.value, room)
		} else {
			out[i] = []safe{cut(v.value.units, room-width(v.value.after)) + v.value.after}
		}
	}
	if !p.verbose && len(values) > 1 && values[0].label != "" {
		a, b := cutPair(values[0].value, values[1].value, room)
		out[0], out[1] = []safe{a}, []safe{b}
	}
	return out
}
