/** The files in src/generated/ of the client, from the OpenAPI document of all services. No I/O. */
import openapiTypescript, { astToString } from 'openapi-typescript'

const notice = '/** Written by `scripts/texts/client.mjs` from the contracts of the services. Do not edit. */\n'

/**
 * Returns the text of each file by its name. Operations without a credential are left out: payers and payment providers
 * call them, not tenants.
 *
 * @param {any} document
 * @returns {Promise<Record<string, string>>}
 */
export async function clientFiles(document) {
  const operations = selectOperations(document)
  const schemas = {
    ...openCatalogues(document.components.schemas),
    ProblemMembers: problemMembers(document.components.schemas),
    WebhookPayloads: webhookPayloads(document.webhooks),
  }
  const reduced = {
    openapi: document.openapi,
    info: document.info,
    paths: reducePaths(operations),
    components: { schemas },
  }
  return {
    'currencies.ts': notice + currencyTable(document.components.schemas.Currency),
    'openapi.ts': notice + astToString(await openapiTypescript(reduced, { defaultNonNullable: false })),
    'operations.ts': notice + operationTable(operations) + groupTable(operations) + problemCodes(document),
    'schemas.ts': notice + namedTypes(Object.keys(schemas)),
  }
}

/** Catalogues that grow with the API: a client of today takes the values of tomorrow. */
const catalogues = ['Currency', 'EventType', 'EventTypePattern', 'Permission', 'PermissionName']

function openCatalogues(schemas) {
  const entries = Object.entries(schemas).map(([name, { enum: values, ...schema }]) => {
    return [name, values === undefined || catalogues.includes(name) ? schema : { ...schema, enum: values }]
  })
  return Object.fromEntries(entries)
}

/** The operations that take a credential. */
function selectOperations(document) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.security === undefined)
      .map(([method, operation]) => ({ path, method, operation })),
  )
}

/**
 * Paths with what the types need: parameters in the path and in the query, bodies and successful responses. The client
 * sets the headers, and throws every problem as one class.
 */
function reducePaths(operations) {
  const paths = {}
  for (const { path, method, operation } of operations) {
    const { operationId, summary, description, requestBody } = operation
    const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
    paths[path] ??= {}
    paths[path][method] = {
      operationId,
      summary,
      description,
      parameters: operation.parameters.filter((parameter) => parameter.in !== undefined),
      ...(requestBody === undefined ? {} : { requestBody }),
      responses: Object.fromEntries(
        successes.map(([status, response]) => [
          status,
          { description: response.description, content: response.content },
        ]),
      ),
    }
  }
  return paths
}

/** One schema with the payload of each event type. */
function webhookPayloads(webhooks) {
  const payloads = Object.entries(webhooks).map(([type, { post }]) => {
    const [, event] = post.requestBody.content['application/json'].schema.allOf
    return [type, { ...event.properties.metadata.properties.payload, description: post.summary }]
  })
  return {
    type: 'object',
    description: 'Payload of a webhook by event type.',
    properties: Object.fromEntries(payloads),
    required: payloads.map(([type]) => type),
  }
}

/** One schema with the members of every problem, each optional. */
function problemMembers(schemas) {
  const members = Object.values(schemas).flatMap(({ allOf: [base, own] = [] }) =>
    base?.$ref === '#/components/schemas/Problem' ? Object.entries(own.properties) : [],
  )
  return {
    type: 'object',
    description: 'Members of single problems, beside those that every problem has.',
    properties: Object.fromEntries(members.filter(([name]) => name !== 'code')),
  }
}

/** The values that the client needs when it runs: an operation, its method, and how it may be repeated. */
function operationTable(operations) {
  const entries = operations.map(({ path, method, operation }) => {
    const { operationId, summary, description = '', parameters, 'x-permission': permission } = operation
    const takesKey = parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey')
    const isList = parameters.some(({ name, in: place }) => name === 'cursor' && place === 'query')
    const text = [summary, description, ...(operation.deprecated === true ? ['@deprecated'] : [])]
      .join('\n\n')
      .trim()
      .replaceAll('*/', '*\\/')
      .split('\n')
      .map((line) => `   * ${line}`.trimEnd())
    return [
      '  /**',
      ...text,
      '   */',
      `  ${operationId}: {`,
      `    method: '${method.toUpperCase()}',`,
      `    path: '${path}',`,
      `    idempotencyKey: ${takesKey},`,
      `    list: ${isList},`,
      `    permission: ${permission === undefined ? null : `'${permission}'`},`,
      '  },',
    ].join('\n')
  })
  return `\nexport const operations = {\n${entries.join('\n')}\n} as const\n`
}

/** The currencies whose minor unit has other than two digits. */
function currencyTable({ 'x-minor-unit-digits': digits }) {
  const members = Object.entries(digits).sort(([a], [b]) => (a < b ? -1 : 1))
  const lines = members.map(([code, count]) => `  ${code}: ${count},`)
  return `\nexport const minorUnitDigits: Readonly<Record<string, number>> = {\n${lines.join('\n')}\n}\n`
}

/** The resources of each service. An operation without one of these nouns in its name belongs to the first. */
const nouns = {
  'api-key': ['Key'],
  rbac: ['Role', 'Permission'],
  webhooks: ['Subscription', 'AuthInfo', 'Delivery', 'EventType', 'Event', 'DeadLetterTask', 'DeadLetter'],
  'payment-proxy': ['Transaction', 'SandboxOperation', 'Operation'],
  'business-unit': ['BusinessUnit', 'PaymentOrchestrator'],
  communication: ['Template', 'Communication', 'OutboxMessage'],
  'invite-to-pay': ['Code'],
  identity: ['User', 'UserInvitation', 'Session', 'SignInProvider', 'Self'],
  audit: ['Record'],
}

const pluralize = (noun) => (/[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`)
const lowerFirst = (name) => name.charAt(0).toLowerCase() + name.slice(1)

/** `captureTransaction` → `transactions`, `capture`. */
function splitName({ operationId, tags: [service] }, names) {
  const [fallback] = nouns[service] ?? []
  if (fallback === undefined)
    throw new Error(`add the resources of the service ${service} to packages/client/generate/client-files.mjs`)
  const found = nouns[service]
    .flatMap((noun) => [pluralize(noun), noun].map((text) => ({ noun, text, at: operationId.indexOf(text) })))
    .filter(({ at }) => at > 0)
    // The first noun of the name, and of two that begin there the longer one.
    .sort((a, b) => a.at - b.at || b.text.length - a.text.length)[0]
  if (found === undefined) return [lowerFirst(pluralize(fallback)), operationId]
  const singular = operationId.replace(found.text, found.noun)
  const all = singular !== operationId && names.has(singular) ? 'All' : ''
  return [lowerFirst(pluralize(found.noun)), operationId.replace(found.text, all)]
}

/** The operations by resource: `transactions.capture`. */
function groupTable(operations) {
  const names = new Set(operations.map(({ operation }) => operation.operationId))
  const groups = {}
  for (const { operation } of operations) {
    const [group, member] = splitName(operation, names)
    groups[group] ??= {}
    if (member in groups[group]) throw new Error(`two operations are ${group}.${member}`)
    groups[group][member] = operation
  }
  const tables = Object.entries(groups).map(([group, members]) => {
    const lines = Object.entries(members).map(
      ([member, { operationId, summary }]) => `    /** ${summary} */\n    ${member}: '${operationId}',`,
    )
    return [`  ${group}: {`, ...lines, '  },'].join('\n')
  })
  return `\n/** Operations by resource, each with its name. */\nexport const groups = {\n${tables.join('\n')}\n} as const\n`
}

/** Codes of every problem that an operation of the client declares. */
function problemCodes(document) {
  /** @type {Set<string>} */
  const codes = new Set()
  const seen = new Set()
  const visit = (value) => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    const { $ref, ...members } = value
    if ($ref !== undefined)
      visit(
        $ref
          .split('/')
          .slice(1)
          .reduce((at, name) => at[name], document),
      )
    for (const code of value.properties?.code?.enum ?? []) codes.add(code)
    for (const member of Object.values(members)) visit(member)
  }
  for (const { operation } of selectOperations(document)) {
    const failures = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
    visit(Object.fromEntries(failures))
  }
  const members = [...codes].sort().map((code) => `  | '${code}'`)
  return `\nexport type ProblemCode =\n${members.join('\n')}\n`
}

/** @param {string[]} names */
function namedTypes(names) {
  const types = [...names].sort().map((name) => `export type ${name} = components['schemas']['${name}']`)
  return `import type { components } from './openapi.ts'\n\n${types.join('\n')}\n`
}
