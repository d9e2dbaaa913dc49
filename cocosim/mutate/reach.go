package mutate

// function is what stands in a function.
type function struct{ body []token }

// functions are those of all files by name.
func functions(files []source) map[string]*function {
	all := map[string]*function{}
	for _, s := range files {
		for i := 0; i < len(s.t); i++ {
			if s.t[i].text != "function" {
				continue
			}
			from := i
			for i < len(s.t)-1 && s.t[i].text != "endfunction" {
				i++
			}
			for k := from; k < i; k++ {
				if s.t[k].text == "(" || s.t[k].text == ";" {
					all[s.t[k-1].text] = &function{body: s.t[k:i]}
					break
				}
			}
		}
	}
	return all
}

// mark marks the functions that some tokens name, and those that these name.
func mark(all map[string]*function, t []token, done map[string]bool) {
	for _, x := range t {
		if f, ok := all[x.text]; ok && !done[x.text] {
			done[x.text] = true
			mark(all, f.body, done)
		}
	}
}

// outside is the tokens of a file that stand in no function.
func outside(t []token) (out []token) {
	in := false
	for _, x := range t {
		switch x.text {
		case "function":
			in = true
		case "endfunction":
			in = false
		default:
			if !in {
				out = append(out, x)
			}
		}
	}
	return out
}

// usedFunctions are those that the modules in use call, at run time or for constants.
func (d *Design) usedFunctions() map[string]bool {
	done := map[string]bool{}
	all := functions(d.files)
	for _, s := range d.files {
		if s.used {
			mark(all, outside(s.t), done)
		}
	}
	return done
}

// constantFunctions are those that parameters call, and those that these call.
func (d *Design) constantFunctions() map[string]bool {
	done := map[string]bool{}
	all := functions(d.files)
	for _, s := range d.files {
		sc := scan{t: s.t}
		for i, t := range s.t {
			if t.text != "localparam" && t.text != "parameter" {
				continue
			}
			end := i
			for end < len(s.t)-1 && s.t[end].text != ";" {
				end++
			}
			mark(all, s.t[i:min(end, sc.after(i, ";"))], done)
		}
	}
	return done
}
