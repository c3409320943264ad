"""A page of markdown with everything that an answer may hold."""

SAMPLE = """\
# Markdown

A paragraph with **strong**, *emphasised*, ~~struck~~ text and `code`, and a [link](https://example.org/).

## Lists

1. first
2. second
   - nested
   - nested, and so long that it has to be wrapped at the edge of most terminals, which keeps its indent
3. third

- [x] done
- [ ] to do

> A quotation.
> With two lines.

## Code

```python
def fib(n: int) -> int:
    \"\"\"The n-th Fibonacci number.\"\"\"
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
```

```diff
-old line
+new line
```

## A table

| tool | what it does | changes files |
|:-----|:-------------|:-------------:|
| read | reads a file or an image | no |
| edit | replaces exact text | yes |
| bash | runs a command | maybe |

Wide characters: 日本語, 한국어, 👩‍👩‍👧, é.

---

The end.
"""
