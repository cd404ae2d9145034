import { type Html, html } from '@payments/chassis/base/html'
import { problemsByCode } from '@payments/contracts/edges/contracts'
import { commonProblems, type ProblemDefinition } from '@payments/contracts/grammar/problem'
import { problemExamples } from '@payments/contracts/openapi/recorded'
import { layout } from './layout.ts'
import { inline } from './prose.ts'
import type { ApiDocument } from './reference/document.ts'
import { foldedJson } from './reference/operation.ts'

/** In the order of their status, then of their code. */
const problems = [...problemsByCode.values()].sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1))
const statuses = [...new Set(problems.map(({ status }) => status))]

/** The index of all problems, and a page per problem, by path. */
export function problemPages(document: ApiDocument): Map<string, string> {
  const navigation = statuses.map((status) => ({
    href: `/problems#${status}`,
    text: `${status} ${meanings[status] ?? ''}`.trim(),
  }))
  const page = (path: string, title: string, content: Html): [string, string] => [
    path,
    layout({ title, path, navigation, content }),
  ]
  return new Map([
    page('/problems', 'Problems', index()),
    ...problems.map((problem) => page(problemPath(problem), problem.title, renderProblem(problem, document))),
  ])
}

/** The same for programs, by path. */
export function problemData(): Map<string, unknown> {
  return new Map<string, unknown>([
    ['/problems', { data: problems.map(toData) }],
    ...problems.map((problem): [string, unknown] => [problemPath(problem), toData(problem)]),
  ])
}

const problemPath = ({ code }: ProblemDefinition) => `/problems/${code}`

const toData = (problem: ProblemDefinition) => {
  const { code, status, title, explanation } = problem
  return { type: problemPath(problem), code, status, title, explanation }
}

const meanings: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  402: 'Payment required',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  431: 'Headers too large',
  500: 'Internal error',
  502: 'Bad gateway',
  503: 'Service unavailable',
  504: 'Gateway timeout',
}

function index(): Html {
  return html`<h1>Problems</h1>
<p>An error is a problem document (RFC 9457). Programs match on its <code>code</code>; its <code>type</code> is the path
of a page below. The guide <a href="/docs/errors">Errors</a> shows how to handle them.</p>
${statuses.map(
  (status) => html`<h2 id="${status}">${status} ${meanings[status] ?? null}</h2>
<dl class="problems">${problems
    .filter((problem) => problem.status === status)
    .map(
      ({ code, title }) => html`<dt><a href="/problems/${code}"><code>${code}</code></a></dt><dd>${title}</dd>`,
    )}</dl>
`,
)}`
}

function renderProblem({ code, status, title, explanation }: ProblemDefinition, document: ApiDocument): Html {
  return html`<h1>${title}</h1>
<dl class="facts"><dt>Code</dt><dd><code>${code}</code></dd><dt>Status</dt><dd>${status}</dd></dl>
<p>${inline(explanation)}</p>
${problemExamples.has(code) ? foldedJson('Example', problemExamples.get(code)) : null}${operationsWith(code, document)}
<p>For support, send the <code>trace_id</code> of the response. <a href="/docs/errors">How to handle errors</a> ·
<a href="/problems">All problems</a> · <a href="/docs/api">API reference</a></p>
`
}

/** Links to the operations that declare the problem. Null for a problem of every operation. */
function operationsWith(code: string, { services }: ApiDocument): Html | null {
  const operations = services
    .flatMap((service) => service.operations)
    .filter(({ replies }) => replies.some(([, { codes }]) => codes.includes(code)))
  if (code in commonProblems || operations.length === 0) return null
  return html`<h2>Operations</h2>
<ul class="operations">${operations.map(
    ({ service, name, title }) => html`<li><a href="/docs/api/${service}#${name}">${title}</a></li>`,
  )}</ul>`
}
