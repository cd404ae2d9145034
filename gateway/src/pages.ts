import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { contracts, problemsByCode } from '@payments/contracts/all'
import { openApiDocument } from '@payments/contracts/openapi'
import { commonProblems, Problem, type ProblemDefinition } from '@payments/contracts/problem'
import { type RequestHandler, Router } from 'express'
import helmet from 'helmet'

/** The package's own index would load the whole user interface into this process. */
const require = createRequire(import.meta.url)
const assets = dirname(require.resolve('swagger-ui-dist/package.json'))

/** The pages that need no credential: OpenAPI, its reader, and what each problem means. */
export function pages(): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const document = JSON.stringify(openApiDocument(contracts))
  page(router, '/v1/openapi.json', (_request, response) => {
    response.set('Access-Control-Allow-Origin', '*').type('application/json').send(document)
  })
  page(router, '/docs', html(docsPage))
  page(router, '/docs/initialize.js', (_request, response) => {
    response.type('text/javascript').send(initializeScript)
  })
  page(router, '/docs/problem.css', (_request, response) => {
    response.type('text/css').send(problemStyle)
  })
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
    page(router, `/docs/${name}`, (_request, response) => {
      response.sendFile(name, { root: assets, maxAge: '1d', etag: false })
    })
  }
  page(router, '/problems/:code', (request, response, next) => {
    const problem = problemsByCode.get(String(request.params['code']))
    if (problem === undefined) throw new Problem(commonProblems.route_not_found)
    html(problemPage(problem))(request, response, next)
  })
  return router
}

/** Nothing inline, nothing from elsewhere, never in a frame. */
const policy = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
})

function page(router: Router, path: string, handler: RequestHandler): void {
  router
    .route(path)
    .get(policy, handler)
    .all((_request, response) => {
      response.set('Allow', 'GET, HEAD')
      throw new Problem(commonProblems.method_not_allowed)
    })
}

function html(text: string): RequestHandler {
  return (_request, response) => {
    response.type('text/html').send(text)
  }
}

/** Else a browser asks for one at the root, and is refused. */
const icon = '<link rel="icon" href="/docs/favicon-32x32.png">'

const docsPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Payment Service API</title>${icon}<link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><main id="swagger-ui"></main><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/initialize.js"></script></body>
</html>
`

const initializeScript = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
})
`

const problemStyle = `body { font: 1rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.5rem; line-height: 1.3 }
code { background: #eee; padding: 0.1em 0.3em; border-radius: 3px }
dt { color: #595959 }
dd { margin: 0 0 0.5rem }
`

function problemPage({ code, status, title, explanation }: ProblemDefinition): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>${icon}<link rel="stylesheet" href="/docs/problem.css">
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<dl><dt>Code</dt><dd><code>${escapeHtml(code)}</code></dd><dt>Status</dt><dd>${status}</dd></dl>
<p>${escapeHtml(explanation).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>
<p>If you ask for support, give the <code>trace_id</code> of the answer. The API is described at <a href="/docs">/docs</a>.</p>
</main>
</body>
</html>
`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}
