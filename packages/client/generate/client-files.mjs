/** The files in src/generated/ of the client, from the OpenAPI document of all services. No I/O. */
import openapiTypescript, { astToString } from 'openapi-typescript'

const notice = '/** Written by `node scripts/client.mjs` from the contracts of the services. Do not edit. */\n'

/**
 * Returns the text of each file by its name. Operations without a credential are left out: payers and payment providers
 * call them, not tenants.
 *
 * @param {any} document
 * @returns {Promise<Record<string, string>>}
 */
export async function clientFiles(document) {
  const operations = operationsOf(document)
  const schemas = { ...document.components.schemas, WebhookPayloads: webhookPayloads(document.webhooks) }
  const reduced = {
    openapi: document.openapi,
    info: document.info,
    paths: pathsOf(operations),
    components: { schemas },
  }
  return {
    'openapi.ts': notice + astToString(await openapiTypescript(reduced, { defaultNonNullable: false })),
    'operations.ts': notice + operationTable(operations) + problemCodes(document),
    'schemas.ts': notice + namedTypes(Object.keys(schemas)),
  }
}

/** The operations that take a credential. */
function operationsOf(document) {
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
function pathsOf(operations) {
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

/** The values that the client needs when it runs: an operation, its method, and how it may be repeated. */
function operationTable(operations) {
  const entries = operations.map(({ path, method, operation }) => {
    const { operationId, summary, description = '', parameters } = operation
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
      `  ${operationId}: { method: '${method.toUpperCase()}', path: '${path}', idempotencyKey: ${takesKey}, list: ${isList} },`,
    ].join('\n')
  })
  return `\nexport const operations = {\n${entries.join('\n')}\n} as const\n`
}

/** Codes of every problem that an operation declares. */
function problemCodes(document) {
  /** @type {Set<string>} */
  const codes = new Set()
  const visit = (value) => {
    if (typeof value !== 'object' || value === null) return
    const code = value.properties?.code
    if (code?.enum !== undefined && Object.keys(code).length === 1) for (const name of code.enum) codes.add(name)
    for (const member of Object.values(value)) visit(member)
  }
  visit([operationsOf(document), document.components.responses])
  const members = [...codes].sort().map((code) => `  | '${code}'`)
  return `\nexport type ProblemCode =\n${members.join('\n')}\n`
}

/** @param {string[]} names */
function namedTypes(names) {
  const types = [...names].sort().map((name) => `export type ${name} = components['schemas']['${name}']`)
  return `import type { components } from './openapi.ts'\n\n${types.join('\n')}\n`
}
