import { type Html, html } from '@payments/chassis/base/html'
import { highlight } from '../prose.ts'
import type { Operation, Parameter } from './document.ts'
import { Code, Fresh, literal, pythonNotation, typescriptNotation, withOwnValues } from './literal.ts'

/** The languages of the examples. TypeScript uses `@payments/client`, Python its standard library only. */
const exampleLanguages = ['curl', 'typescript', 'python'] as const
export type ExampleLanguage = (typeof exampleLanguages)[number]

const titles = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const
const highlightedAs = { curl: 'sh', typescript: 'ts', python: 'python' } as const

/** The preparation of the examples of every operation: the variables that `npm start` prints. */
export const preparations: Readonly<Record<ExampleLanguage, string>> = {
  curl: 'export API=http://127.0.0.1:8080/v1 KEY=psk_dev_… TENANT=… UNIT=…',
  typescript: `import { env } from 'node:process'
import { createClient } from '@payments/client'

const unit = env.UNIT ?? ''
const payments = createClient({
  baseUrl: env.API,
  credential: env.KEY ?? '',
  tenantId: env.TENANT,
})`,
  python: `import json, os, urllib.parse, urllib.request, uuid

unit = os.environ["UNIT"]

def call(method, path, body=None, headers={}):
    request = urllib.request.Request(
        os.environ["API"] + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["KEY"],
            "Tenant-ID": os.environ["TENANT"],
            "Trace-ID": str(uuid.uuid4()),
            "Content-Type": "application/json",
            **headers,
        },
    )
    with urllib.request.urlopen(request, timeout=45) as response:
        return json.loads(response.read() or "null")`,
}

/** The request of an operation with this body in each language. */
export function renderExamples(operation: Operation, body: unknown): Partial<Record<ExampleLanguage, string>> {
  const curl = renderCurl(operation, body)
  // The client has the operations of tenants only.
  if (!operation.isAuthenticated) return { curl }
  return { curl, typescript: renderTypescript(operation, body), python: renderPython(operation, body) }
}

/** One block with a choice of languages. Radio buttons work without JavaScript, and with the arrow keys. */
export function exampleBlock(name: string, texts: Partial<Record<ExampleLanguage, string>>): Html {
  const languages = exampleLanguages.filter((language) => texts[language] !== undefined)
  return html`<fieldset class="languages"><legend>Language of the example</legend>
${languages.map((language, at) => {
  const id = `${name}-${language}`
  const start = html`<input type="radio" name="${name}-language" id="${id}" value="${language}"`
  return html`${start}${at === 0 ? html` checked` : null}><label for="${id}">${titles[language]}</label>
`
})}${languages.map(
  (language) =>
    html`<div class="code ${language}"><pre tabindex="0" aria-label="${titles[language]}"><code>${highlight(texts[language] ?? '', highlightedAs[language])}</code></pre></div>
`,
)}</fieldset>
`
}

const unitId = 'business_unit_id'
const version = '/v1'
const newUuid = "$(node -p 'crypto.randomUUID()')"

const shellVariable = (id: string) => (id === unitId ? 'UNIT' : id.toUpperCase())
const shellPlaceholder = (id: string) => `{own:${id}}`

/** A value of the caller is a variable of the shell. Where the quotes of the body end, the shell inserts a value. */
function renderCurl({ name, method, path, isAuthenticated, parameters }: Operation, body: unknown): string {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `$${shellVariable(id)}`)
  const address = url.startsWith(`${version}/`) ? `$API${url.slice(version.length)}` : `\${API%${version}}${url}`
  const credential = ['-H "Authorization: Bearer $KEY"', '-H "Tenant-ID: $TENANT"']
  const json = JSON.stringify(withOwnValues(name, body, shellPlaceholder), null, 2)
    ?.replaceAll("'", "'\\''")
    .replaceAll(/\{own:(\w+)\}/g, (_, id: string) => `'$${shellVariable(id)}'`)
    .replaceAll(Fresh.placeholder, `'${newUuid}'`)
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${address}"`,
    ...(isAuthenticated ? credential : []),
    `-H "Trace-ID: ${newUuid}"`,
    ...(isIdempotent(parameters) ? [`-H "Idempotency-Key: ${newUuid}"`] : []),
    ...(json === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${json}'`]),
  ]
  return parts.join(' \\\n  ')
}

/** The client sets the headers, and repeats a request with the same Idempotency-Key. */
function renderTypescript({ name, path, isList }: Operation, body: unknown): string {
  const ids = namesIn(path).map((id) => [id, new Code(toVariable(id))] as const)
  const own = withOwnValues(name, body, (id) => new Code(toVariable(id)))
  const args = Object.fromEntries([...ids, ...(body === undefined ? [] : [['body', own] as const])])
  const text = body === undefined ? shortArguments(ids) : literal(args, typescriptNotation)
  const request = `payments.${name}(${Object.keys(args).length === 0 ? '' : text})`
  return isList ? `for await (const item of ${request}) console.log(item)` : `console.log(await ${request})`
}

const shortArguments = (ids: readonly (readonly [string, Code])[]) =>
  `{ ${ids.map(([id, { text }]) => (id === text ? id : `${id}: ${text}`)).join(', ')} }`

function renderPython({ name, method, path, parameters }: Operation, body: unknown): string {
  const url = path.replace(version, '').replace(`{${unitId}}`, '{unit}')
  const margin = '    '
  const own = withOwnValues(name, body, (id) => new Code(id === unitId ? 'unit' : id))
  const parts = [
    `"${method}"`,
    `${url.includes('{') ? 'f' : ''}"${url}"`,
    ...(body === undefined ? [] : [`body=${literal(own, pythonNotation, margin)}`]),
    ...(isIdempotent(parameters) ? ['headers={"Idempotency-Key": str(uuid.uuid4())}'] : []),
  ]
  const request =
    parts.length === 2 ? `call(${parts.join(', ')})` : `call(\n${parts.map((part) => `${margin}${part},\n`).join('')})`
  return `print(${request})`
}

const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** The variable of an identifier: `transaction_id` → `transactionId`, and `unit`, which the preparation defines. */
export const toVariable = (id: string) =>
  id === unitId ? 'unit' : id.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const isIdempotent = (parameters: readonly Parameter[]) => parameters.some(({ name }) => name === 'Idempotency-Key')
