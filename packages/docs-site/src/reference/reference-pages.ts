import { type Html, html } from '@payments/chassis/base/html'
import { layout, type NavigationLink } from '../layout.ts'
import { inline, prose } from '../prose.ts'
import type { ApiDocument, Service } from './document.ts'
import { foldedJson, methodLabel, operationSection } from './operation.ts'
import { bounds, fields, innerSchemas, readReference, type Schema, type } from './schema.ts'
import { credentials, preparation } from './try-out.ts'

/** The API reference by path: an index of all operations, a page per service, and one of the events. */
export function referencePages(document: ApiDocument): Map<string, string> {
  const navigationFor = (path: string) => [
    { href: '/docs/api', text: 'All operations' },
    ...document.services.map((service) => serviceLink(service, path)),
    {
      href: '/docs/api/events',
      text: 'events',
      below: path === '/docs/api/events' ? document.events.map(({ name }) => ({ href: `#${name}`, text: name })) : [],
    },
  ]
  const page = (path: string, title: string, content: Html): [string, string] => [
    path,
    layout({ title, path, navigation: navigationFor(path), content }),
  ]
  return new Map([
    page('/docs/api', 'API reference', index(document)),
    ...document.services.map((service) => page(servicePath(service), service.name, servicePage(service, document))),
    page('/docs/api/events', 'Events', eventsPage(document)),
  ])
}

const servicePath = ({ name }: Service) => `/docs/api/${name}`

function serviceLink(service: Service, path: string): NavigationLink {
  const href = servicePath(service)
  const below = service.operations.map(({ name, title }) => ({ href: `#${name}`, text: title }))
  return { href, text: service.name, below: href === path ? below : [] }
}

function index({ services, events }: ApiDocument): Html {
  return html`<h1>API reference</h1>
<p>Every operation of the API. A request carries <code>Authorization: Bearer</code> with an API key or a JWT,
<code>Trace-ID</code> with a new UUID, and with an API key <code>Tenant-ID</code>. The guide
<a href="/docs/quick-start">Quick start</a> makes a first payment. For generators of clients:
<a href="/v1/openapi.json">OpenAPI 3.1</a>.</p>
<label class="filter">Filter operations <input type="search" id="filter" autocomplete="off" spellcheck="false"></label>
${services.map(
  (service) => html`<section class="service">
<h2 id="${service.name}"><a href="${servicePath(service)}">${service.name}</a></h2>
<p>${service.description}</p>
<ul class="operations">${service.operations.map(
    ({
      name,
      method,
      path,
      title,
    }) => html`<li><a href="${servicePath(service)}#${name}">${methodLabel(method)} ${title}</a>
<code>${path}</code></li>`,
  )}</ul>
</section>
`,
)}<section class="service">
<h2 id="events"><a href="/docs/api/events">events</a></h2>
<p>What webhook subscriptions receive.</p>
<ul class="operations">${events.map(
    ({ name, description }) =>
      html`<li><a href="/docs/api/events#${name}"><code>${name}</code></a><span>${inline(description)}</span></li>`,
  )}</ul>
</section>
`
}

function servicePage(service: Service, document: ApiDocument): Html {
  const sections = service.operations.map((operation) => operationSection(operation, document))
  const text = sections.map((section) => section.text).join('')
  return html`<h1>${service.name}</h1>
${prose(service.description)}${credentials}${preparation}${sections}${objects(text, document)}`
}

function eventsPage(document: ApiDocument): Html {
  const sections = document.events.map(
    ({
      name,
      description,
      schema,
      example,
    }) => html`<section class="operation" id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title"><code>${name}</code></h2>
<p>${inline(description)} <code>metadata.payload</code> is ${schema.$ref === undefined ? 'an object:' : type(schema)}</p>
${fields(schema)}
${example === undefined ? null : foldedJson('Example', example)}</section>
`,
  )
  const text = sections.map((section) => section.text).join('')
  return html`<h1>Events</h1>
<p>A webhook subscription receives each event as a POST with the body below. The guide
<a href="/docs/webhooks">Webhooks</a> shows how to verify it.</p>
${object('WebhookDelivery', document.schemas['WebhookDelivery'] ?? {}, document)}${sections}${objects(text, document)}`
}

/** The sections of the named schemas to which `text` links, and of those to which these refer. */
function objects(text: string, document: ApiDocument): Html {
  const names = new Set<string>()
  const add = (name: string) => {
    const schema = document.schemas[name]
    if (names.has(name) || schema === undefined) return
    names.add(name)
    for (const inner of referencesIn(schema)) add(inner)
  }
  for (const [, name = ''] of text.matchAll(/href="#object-(\w+)"/g)) add(name)
  const sorted = [...names].sort()
  return html`${sorted.map((name) => object(name, document.schemas[name] ?? {}, document))}`
}

function referencesIn(schema: Schema): string[] {
  const own = readReference(schema)
  return [...(own === undefined ? [] : [own]), ...innerSchemas(schema).flatMap(referencesIn)]
}

function object(name: string, schema: Schema, { examples }: ApiDocument): Html {
  return html`<section class="operation" id="object-${name}" aria-labelledby="object-${name}-title">
<h2 id="object-${name}-title">${name}</h2>
${schema.description === undefined ? null : prose(schema.description)}${bounds(schema)}${fields(schema)}
${examples.has(name) ? foldedJson('Example', examples.get(name)) : null}</section>
`
}
