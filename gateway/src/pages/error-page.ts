import { html } from '@payments/chassis/base/html'
import type { EncodeProblem } from '@payments/chassis/request/problem-response'
import { layout } from './layout.ts'

/** A problem as a page for a reader in a browser, at a path that no endpoint has. */
export const encodeForReader: EncodeProblem = (problem, traceId) => {
  const { status, code, title, options } = problem
  const content = html`<h1>${title}</h1>
<p>${options.detail ?? title}.</p>
<ul>
<li><a href="/docs">Guides</a>: what Payment Service is, and a first payment</li>
<li><a href="/docs/api">API reference</a>: every operation</li>
<li><a href="/problems">Problems</a>: every error, among them <a href="/problems/${code}"><code>${code}</code></a></li>
</ul>
<p>For support, send this number: <code>${traceId}</code></p>
`
  return {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
    body: layout({ title: `${status} ${title}`, path: '', navigation: [], content }),
  }
}
