import { type Html, html } from '@payments/chassis/base/html'
import { highlighted } from '../highlight.ts'
import type { Operation, Parameter } from './document.ts'
import { Code, literal, pythonNotation, typescriptNotation } from './literal.ts'
import { sample } from './schema.ts'

/** The languages of the examples. TypeScript uses `@payments/client`, Python its standard library only. */
const exampleLanguages = ['curl', 'typescript', 'python'] as const
export type ExampleLanguage = (typeof exampleLanguages)[number]

const titles = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const
const highlightedAs = { curl: 'sh', typescript: 'ts', python: 'python' } as const

/** The preparation of the examples of every operation. */
export const preparations: Readonly<Record<ExampleLanguage, string>> = {
  curl: `export GATEWAY=http://127.0.0.1:8080 KEY=psk_dev_… TENANT=…
# Not every Linux has uuidgen.
command -v uuidgen > /dev/null || uuidgen() { cat /proc/sys/kernel/random/uuid; }`,
  typescript: `import { env } from 'node:process'
import { createClient } from '@payments/client'

const payments = createClient({
  baseUrl: env.GATEWAY ?? '',
  credential: env.KEY ?? '',
  tenantId: env.TENANT,
})`,
  python: `import json, os, urllib.parse, urllib.request, uuid

def call(method, path, body=None, query={}, headers={}):
    request = urllib.request.Request(
        os.environ["GATEWAY"] + path + ("?" + urllib.parse.urlencode(query) if query else ""),
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
export function examplesOf(operation: Operation, body: unknown): Partial<Record<ExampleLanguage, string>> {
  const curl = curlOf(operation, body)
  // The client has the operations of tenants only.
  if (!operation.isAuthenticated) return { curl }
  return { curl, typescript: typescriptOf(operation, body), python: pythonOf(operation, body) }
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
    html`<div class="code ${language}"><pre tabindex="0" aria-label="${titles[language]}"><code>${highlighted(texts[language] ?? '', highlightedAs[language])}</code></pre></div>
`,
)}</fieldset>
`
}

/** A value of the caller is a variable of the shell. */
function curlOf({ method, path, isAuthenticated, parameters }: Operation, body: unknown): string {
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const query = new URLSearchParams(requiredQuery(parameters).map(([name, value]) => [name, String(value)]))
  const credential = ['-H "Authorization: Bearer $KEY"', '-H "Tenant-ID: $TENANT"']
  const json = JSON.stringify(body, null, 2)?.replaceAll("'", "'\\''")
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$GATEWAY${url}${query.size > 0 ? `?${query}` : ''}"`,
    ...(isAuthenticated ? credential : []),
    '-H "Trace-ID: $(uuidgen)"',
    ...(isIdempotent(parameters) ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(json === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${json}'`]),
  ]
  return parts.join(' \\\n  ')
}

/** The client sets the headers, and repeats a request with the same Idempotency-Key. */
function typescriptOf({ name, path, parameters, isList }: Operation, body: unknown): string {
  const ids = namesIn(path).map((id) => [id, new Code(camelCase(id))] as const)
  const args = Object.fromEntries([
    ...ids,
    ...requiredQuery(parameters),
    ...(body === undefined ? [] : [['body', body] as const]),
  ])
  const isShort = body === undefined && Object.values(args).every((value) => value instanceof Code)
  const text = isShort ? shortArguments(ids) : literal(args, typescriptNotation)
  const request = `payments.${name}(${Object.keys(args).length === 0 ? '' : text})`
  return isList ? `for await (const item of ${request}) console.log(item)` : `console.log(await ${request})`
}

const shortArguments = (ids: readonly (readonly [string, Code])[]) =>
  `{ ${ids.map(([id, { text }]) => (id === text ? id : `${id}: ${text}`)).join(', ')} }`

function pythonOf({ method, path, parameters }: Operation, body: unknown): string {
  const ids = namesIn(path)
  const query = Object.fromEntries(requiredQuery(parameters))
  const margin = '    '
  const parts = [
    `"${method}"`,
    `${ids.length > 0 ? 'f' : ''}"${path}"`,
    ...(body === undefined ? [] : [`body=${literal(body, pythonNotation, margin)}`]),
    ...(Object.keys(query).length === 0 ? [] : [`query=${literal(query, pythonNotation, margin)}`]),
    ...(isIdempotent(parameters) ? ['headers={"Idempotency-Key": str(uuid.uuid4())}'] : []),
  ]
  const request =
    parts.length === 2 ? `call(${parts.join(', ')})` : `call(\n${parts.map((part) => `${margin}${part},\n`).join('')})`
  return `print(${request})`
}

const namesIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** `transaction_id` → `transactionId`. */
export const camelCase = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const isIdempotent = (parameters: readonly Parameter[]) => parameters.some(({ name }) => name === 'Idempotency-Key')

function requiredQuery(parameters: readonly Parameter[]): (readonly [string, unknown])[] {
  return parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => [name, sample(schema, {})] as const)
}
