import { html } from '@payments/chassis/base/html'
import { layout } from './layout.ts'

/**
 * A problem as a page for a reader in a browser, at a path that no endpoint has. The gateway puts the values of the
 * problem in place of their names in braces.
 */
export function errorPage(): string {
  const content = html`<h1>{title}</h1>
<p>{detail}.</p>
<ul>
<li><a href="/docs">Guides</a>: what Payment Service is, and a first payment</li>
<li><a href="/docs/api">API reference</a>: every operation</li>
<li><a href="/problems">Problems</a>: every error, among them <a href="/problems/{code}"><code>{code}</code></a></li>
</ul>
<p>For support, send this number: <code>{traceId}</code></p>
`
  return layout({ title: '{status} {title}', path: '', navigation: [], content })
}
