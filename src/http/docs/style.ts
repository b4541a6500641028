/** Inlined, and allowed by its hash in the page's policy. Follows the reader's light or dark mode. */
export const docsStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --strong: #0b6b4f; --page: #f7f6f2; --ink: #17211b; }
@media (prefers-color-scheme: dark) { :root { --strong: #5ccb9f; --page: #0f1512; --ink: #ecf1ea; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; background: var(--page); color: var(--ink); }
.site { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center; border-bottom: 1px solid var(--line); }
.site a { display: flex; min-height: 2.75rem; align-items: center; text-decoration: none; }
.site a:first-child { margin-right: auto; font-size: 1.125rem; font-weight: 700; }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { margin: 0 0 .5rem; overflow-wrap: anywhere; }
h4 { margin: 1rem 0 .25rem; font-size: .9rem; }
a { color: var(--strong); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
article { margin: 1.5rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { overflow-x: auto; padding: .75rem; border-radius: .5rem; background: var(--soft); }
.method { color: var(--strong); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-top: 1px solid var(--line); }
summary { cursor: pointer; padding: .25rem 0; min-height: 1.75rem; }
nav ul { list-style: none; padding-left: 0; }
nav ul ul { padding-left: 1rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; }
`
