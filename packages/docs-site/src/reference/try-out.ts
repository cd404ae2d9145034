import { type Html, html } from '@payments/chassis/base/html'
import { highlight } from '../prose.ts'
import type { Operation, Parameter } from './document.ts'
import { preparations } from './examples.ts'
import { findUniqueMember, withOwnValues } from './literal.ts'

/**
 * The credentials of every request that this page sends. `docs.js` stores them in the session storage of the browser,
 * which ends with the tab, and sends them to this gateway only.
 */
export const credentials = html`<details class="credentials"><summary>Your credentials for the forms of this page</summary>
<form aria-label="Your credentials">
<p>Each operation has a form that sends a real request. The values below stay in this browser tab.</p>
<label>API key or JWT <input name="credential" type="password" autocomplete="off" spellcheck="false"></label>
<label>Tenant-ID <input name="tenant" autocomplete="off" spellcheck="false"></label>
<label>Business unit <input name="business_unit_id" autocomplete="off" spellcheck="false"></label>
<label>Role <input name="role_id" autocomplete="off" spellcheck="false"></label>
<noscript><p>The forms need JavaScript.</p></noscript>
</form>
</details>
`

/** The preparation of the examples of the page. */
export const preparation = html`<details class="preparation"><summary>Before the examples of this page</summary>
<p>The examples read the address of the API, your API key, your tenant and your business unit from the environment.
<code>npm start</code> prints the line. curl needs Node on the path for new UUIDs.</p>
<div class="code"><pre tabindex="0"><code>${highlight(preparations.curl, 'sh')}</code></pre></div>
<p>TypeScript uses <code>@payments/client</code>, which is in the repository of the platform (<a href="/docs">guides</a>):</p>
<div class="code"><pre tabindex="0"><code>${highlight(preparations.typescript, 'ts')}</code></pre></div>
<p>Python uses its standard library:</p>
<div class="code"><pre tabindex="0"><code>${highlight(preparations.python, 'python')}</code></pre></div>
</details>
`

/**
 * The form that sends a request. Before each request, `docs.js` fills Trace-ID and Idempotency-Key with new UUIDs,
 * ids of the credentials form in place of `<business_unit_id>` and `<role_id>`, and a new text into the member of the
 * body that must be unique.
 */
export function tryOut({ name, method, path, body, isAuthenticated, parameters }: Operation, example: unknown): Html {
  const own = parameters.filter((parameter) => parameter.in !== 'header')
  const isIdempotent = parameters.some((parameter) => parameter.name === 'Idempotency-Key')
  const isJson = body === undefined || body.type === 'application/json'
  const isSigned = body !== undefined && example === undefined
  const unique = findUniqueMember(name)
  const ownExample = withOwnValues('', example, (id) => `<${id}>`)
  if (!isJson || isSigned || !path.startsWith('/v1/')) return html``
  return html`<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${path}" data-authenticated="${String(isAuthenticated)}"${
    unique === undefined ? null : html` data-unique="${unique}"`
  } aria-label="Try ${name}">
${own.map(input)}<label>Trace-ID <input name="header:Trace-ID" data-uuid autocomplete="off" spellcheck="false"></label>
${isIdempotent ? html`<label>Idempotency-Key <input name="header:Idempotency-Key" data-uuid autocomplete="off" spellcheck="false"></label>\n` : null}${
  body === undefined
    ? null
    : html`<label>Body <textarea name="body" rows="${countRows(ownExample)}" spellcheck="false">${JSON.stringify(ownExample, null, 2)}</textarea></label>\n`
}<button>Send ${method}</button>
<div class="response" role="status"></div>
</form>
</details>`
}

function input({ name, in: place, required }: Parameter): Html {
  const attributes = html`name="${place}:${name}" autocomplete="off" spellcheck="false"${required ? html` required` : null}`
  return html`<label>${name}${required ? null : ' (optional)'} <input ${attributes}></label>\n`
}

const countRows = (example: unknown) => Math.min(20, JSON.stringify(example, null, 2).split('\n').length + 1)
