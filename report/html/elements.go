package html

// The elements and attributes of the page. What could load, run, send or style something is none of them.

func el(k kind, name string, parts ...Node) Node { return Node{kind: k, name: name, parts: parts} }

func at[S ~string](name string, s S) Node { return Node{kind: value, name: name, text: string(s)} }

// Elements.

func A(parts ...Node) Node       { return el(inline, "a", parts...) }
func Span(parts ...Node) Node    { return el(inline, "span", parts...) }
func Strong(parts ...Node) Node  { return el(inline, "strong", parts...) }
func Code(parts ...Node) Node    { return el(inline, "code", parts...) }
func Del(parts ...Node) Node     { return el(inline, "del", parts...) }
func Ins(parts ...Node) Node     { return el(inline, "ins", parts...) }
func Dt(parts ...Node) Node      { return el(inline, "dt", parts...) }
func Dd(parts ...Node) Node      { return el(inline, "dd", parts...) }
func Th(parts ...Node) Node      { return el(inline, "th", parts...) }
func Td(parts ...Node) Node      { return el(inline, "td", parts...) }
func Li(parts ...Node) Node      { return el(inline, "li", parts...) }
func Caption(parts ...Node) Node { return el(inline, "text", parts...) } // SVG: a text in a drawing

func P(parts ...Node) Node       { return el(line, "p", parts...) }
func H1(parts ...Node) Node      { return el(line, "h1", parts...) }
func H2(parts ...Node) Node      { return el(line, "h2", parts...) }
func H3(parts ...Node) Node      { return el(line, "h3", parts...) }
func H4(parts ...Node) Node      { return el(line, "h4", parts...) }
func H5(parts ...Node) Node      { return el(line, "h5", parts...) }
func Ul(parts ...Node) Node      { return el(line, "ul", parts...) }
func Ol(parts ...Node) Node      { return el(line, "ol", parts...) }
func Dl(parts ...Node) Node      { return el(line, "dl", parts...) }
func Div(parts ...Node) Node     { return el(line, "div", parts...) }
func Pre(parts ...Node) Node     { return el(line, "pre", parts...) }
func Summary(parts ...Node) Node { return el(line, "summary", parts...) }
func Tr(parts ...Node) Node      { return el(line, "tr", parts...) }
func Thead(parts ...Node) Node   { return el(line, "thead", parts...) }
func Tbody(parts ...Node) Node   { return el(line, "tbody", parts...) }
func Table(parts ...Node) Node   { return el(line, "table", parts...) }
func Nav(parts ...Node) Node     { return el(line, "nav", parts...) }
func Footer(parts ...Node) Node  { return el(line, "footer", parts...) }

func Header(parts ...Node) Node  { return el(block, "header", parts...) }
func Main(parts ...Node) Node    { return el(block, "main", parts...) }
func Section(parts ...Node) Node { return el(block, "section", parts...) }
func Article(parts ...Node) Node { return el(block, "article", parts...) }
func Details(parts ...Node) Node { return el(block, "details", parts...) }
func SVG(parts ...Node) Node     { return el(block, "svg", parts...) }

func Br(parts ...Node) Node { return el(void, "br", parts...) }

func Rect(parts ...Node) Node { return el(shape, "rect", parts...) } // SVG
func Line(parts ...Node) Node { return el(shape, "line", parts...) } // SVG

// Attributes.

// To leads to the place of the page that has an ID.
func To[S ~string](id S) Node { return at("href", "#"+id) }

// Hidden keeps from being read out what is said in words beside it.
func Hidden() Node { return at("aria-hidden", "true") }

// Open is a flag of Details.
func Open() Node { return Node{kind: flag, name: "open"} }

// Reachable makes the keyboard stop at what scrolls; Focusable lets a link set the focus alone.
func Reachable() Node   { return at("tabindex", "0") }
func Focusable() Node   { return at("tabindex", "-1") }
func Unfocusable() Node { return at("focusable", "false") } // SVG

func Class[S ~string](s S) Node      { return at("class", s) }
func ID[S ~string](s S) Node         { return at("id", s) }
func Label[S ~string](s S) Node      { return at("aria-label", s) }
func LabelledBy[S ~string](s S) Node { return at("aria-labelledby", s) }
func Role[S ~string](s S) Node       { return at("role", s) }
func Scope[S ~string](s S) Node      { return at("scope", s) }
func Width[S ~string](s S) Node      { return at("width", s) }
func Height[S ~string](s S) Node     { return at("height", s) }
func X[S ~string](s S) Node          { return at("x", s) }
func Y[S ~string](s S) Node          { return at("y", s) }
func X1[S ~string](s S) Node         { return at("x1", s) }
func X2[S ~string](s S) Node         { return at("x2", s) }
func Y1[S ~string](s S) Node         { return at("y1", s) }
func Y2[S ~string](s S) Node         { return at("y2", s) }
func Anchor[S ~string](s S) Node     { return at("text-anchor", s) }
