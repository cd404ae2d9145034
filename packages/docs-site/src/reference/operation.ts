import { type Html, html } from '@payments/chassis/base/html'
import { commonProblems } from '@payments/contracts/grammar/problem'
import { inline, prose } from '../prose.ts'
import type { ApiDocument, Operation, Parameter, Reply } from './document.ts'
import { exampleBlock, renderExamples } from './examples.ts'
import { field, fields, type Schema, type } from './schema.ts'
import { tryOut } from './try-out.ts'

export function operationSection(operation: Operation, document: ApiDocument): Html {
  const { name, method, path, title, description } = operation
  const example = operation.body?.media.example
  return html`<section class="operation" id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${title} <a class="anchor" href="#${name}" aria-label="Link to ${title}">#</a></h2>
<p class="endpoint">${methodLabel(method)} <code>${breakable(path)}</code></p>
<div class="split"><div>
${description === '' ? null : prose(description)}
${parameterList('Path', 'path', operation)}${parameterList('Query', 'query', operation)}
${parameterList('Headers', 'header', operation)}${body(operation, document.schemas)}
<h3>Responses</h3>
${replies(operation)}
</div><div class="example">
<h3>Example</h3>
${exampleBlock(name, renderExamples(operation, example))}${exampleReplies(operation)}${tryOut(operation, example)}
</div></div>
</section>
`
}

export function methodLabel(method: string): Html {
  return html`<b class="method ${method.toLowerCase()}">${method}</b>`
}

/** A path that may break after each slash. */
function breakable(path: string): Html {
  return html`${path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`)}`
}

/** Headers that every request has: the head of the page describes them. */
const everywhere = ['Trace-ID', 'traceparent', 'Tenant-ID']

function parameterList(title: string, place: Parameter['in'], { parameters }: Operation): Html | null {
  const own = parameters.filter((parameter) => parameter.in === place && !everywhere.includes(parameter.name))
  if (own.length === 0) return null
  return html`<h3>${title}</h3>
<ul class="fields">${own.map(({ name, schema, description, required }) => {
    const described = description === undefined ? schema : { ...schema, description }
    return html`<li>${field(name, described, required)}</li>`
  })}</ul>
`
}

function body({ body: content }: Operation, schemas: Readonly<Record<string, Schema>>): Html | null {
  if (content === undefined) return null
  const { schema } = content.media
  const name = schema.$ref?.split('/').at(-1)
  const list = fields(name === undefined ? schema : (schemas[name] ?? {}))
  return html`<h3>Body</h3>
<p class="bounds"><code>${content.type}</code></p>${list}
`
}

const isShared = (code: string) => code in commonProblems

function replies({ replies: all }: Operation): Html {
  const shared = problemRows(all, isShared)
  return html`<dl class="replies">${all
    .filter(([, reply]) => reply.codes.length === 0)
    .map(
      ([status, reply]) => html`<dt>${status}</dt><dd>${inline(reply.description)}${renderResult(reply)}</dd>`,
    )}${problemRows(all, (code) => !isShared(code))}</dl>
${shared.length === 0 ? null : html`<details><summary>Problems of many operations</summary><dl class="replies">${shared}</dl></details>`}`
}

/** The problems that the filter selects, by status. */
function problemRows(all: Operation['replies'], isShown: (code: string) => boolean): Html[] {
  return all
    .map(([status, reply]) => ({ status, codes: reply.codes.filter(isShown) }))
    .filter(({ codes }) => codes.length > 0)
    .map(
      ({ status, codes }) =>
        html`<dt>${status}</dt><dd>${codes.map((code) => html`<a href="/problems/${code}"><code>${code}</code></a> `)}</dd>`,
    )
}

function renderResult({ content }: Reply): Html | null {
  const schema = content?.['application/json']?.schema
  if (schema === undefined) return null
  const list = schema.properties?.['data']?.items
  if (list !== undefined) return html` A page of ${type(list)}.`
  return schema.$ref === undefined ? fields(schema) : html` ${type(schema)}`
}

/** The recorded response of a success, and the problems that the operation declares. */
function exampleReplies({ replies: all }: Operation): Html {
  return html`${all.flatMap(([status, { content = {} }]) => {
    const success = content['application/json']?.example
    const problems = Object.entries(content['application/problem+json']?.examples ?? {})
    return [
      ...(success === undefined ? [] : [foldedJson(`Response ${status}`, success)]),
      ...problems
        .filter(([code]) => !isShared(code))
        .map(([code, { value }]) => foldedJson(`Response ${status}: ${code}`, value)),
    ]
  })}`
}

/** A JSON value that a reader unfolds. Without colours: a page has a hundred of them. */
export function foldedJson(title: string, value: unknown): Html {
  const text = JSON.stringify(value, null, 2)
  return html`<details><summary>${title}</summary><div class="code"><pre tabindex="0"><code>${text}</code></pre></div></details>
`
}
