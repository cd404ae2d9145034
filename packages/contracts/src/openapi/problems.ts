import type { Contract, Endpoint } from '../grammar/contract.ts'
import { commonProblems, type ProblemDefinition } from '../grammar/problem.ts'
import { headersOfDeprecation, headersOfProblem } from './headers.ts'
import { problemExamples } from './recorded.ts'
import { responseSchema, type Schemas } from './schema.ts'

/**
 * The problem responses of an OpenAPI document. A problem with members has its own schema, and a response that
 * several operations share is a component.
 */
type Json = Record<string, unknown>

/** Problems of every endpoint, beside those that it declares. */
const always = [
  'invalid_request',
  'invalid_header',
  'invalid_request_target',
  // The query is inspected too, before the endpoint knows which parameters it has.
  'raw_card_data_not_allowed',
  'invalid_credentials',
  'session_of_another_tenant',
  'permission_denied',
  'address_not_allowed',
  'tenant_suspended',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'authorization_unavailable',
  'audit_unavailable',
  'service_unavailable',
  'upstream_timeout',
] as const

const withBody = ['request_timeout', 'payload_too_large', 'unsupported_media_type'] as const
const withRecentSignIn = ['step_up_required'] as const
const withIdempotencyKey = ['idempotency_key_in_use', 'idempotency_key_reused'] as const

/** The names of shared responses that have several problems. */
const sharedResponses: readonly (readonly [name: string, codes: readonly string[]])[] = [
  ['InvalidRequest', ['invalid_request', 'invalid_header', 'invalid_request_target', 'raw_card_data_not_allowed']],
  ['Unauthorized', ['invalid_credentials', 'session_of_another_tenant']],
  ['UnauthorizedOrStepUpRequired', ['invalid_credentials', 'session_of_another_tenant', 'step_up_required']],
  ['Forbidden', ['permission_denied', 'address_not_allowed', 'tenant_suspended']],
  [
    'ForbiddenOrExceeding',
    ['permission_denied', 'address_not_allowed', 'tenant_suspended', 'would_exceed_own_permissions'],
  ],
  ['Unavailable', ['authorization_unavailable', 'audit_unavailable', 'service_unavailable']],
]

/** Codes of problems that an endpoint may respond with. */
function listProblemCodes(endpoint: Endpoint): string[] {
  const hasBody = endpoint.body !== undefined
  return [
    ...new Set<string>([
      ...always,
      ...(hasBody ? withBody : []),
      ...(endpoint.sensitive === true ? withRecentSignIn : []),
      ...(endpoint.idempotent === true ? withIdempotencyKey : []),
      ...(endpoint.problems ?? []),
    ]),
  ]
}

/** The problem responses of one document. `components` has those that `of` has referred to. */
export class ProblemResponses {
  readonly #schemas: Schemas
  readonly #components = new Map<string, Json>()

  constructor(schemas: Schemas) {
    this.#schemas = schemas
  }

  /** By status. Throws where a declared problem is not defined. */
  of(contract: Contract, endpoint: Endpoint): Json {
    const known: Record<string, ProblemDefinition> = { ...commonProblems, ...contract.problems }
    const byStatus = new Map<number, ProblemDefinition[]>()
    for (const code of listProblemCodes(endpoint)) {
      const problem = known[code]
      if (problem === undefined) throw new Error(`${contract.service}: the problem ${code} is not defined`)
      byStatus.set(problem.status, [...(byStatus.get(problem.status) ?? []), problem])
    }
    const sorted = [...byStatus].sort(([a], [b]) => a - b)
    const responses = sorted.map(([status, problems]) => [String(status), this.#describeResponse(endpoint, problems)])
    return Object.fromEntries(responses)
  }

  components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Endpoints share components. A deprecated endpoint has further headers, so its response is written in place. */
  #describeResponse(endpoint: Endpoint, problems: readonly ProblemDefinition[]): Json {
    if (endpoint.deprecated === undefined) return this.#referenceTo(problems)
    const response = describeResponse(this.#schemas, problems)
    return { ...response, headers: { ...(response['headers'] as Json), ...headersOfDeprecation(endpoint) } }
  }

  #referenceTo(problems: readonly ProblemDefinition[]): Json {
    const name = responseName(problems.map(({ code }) => code))
    if (!this.#components.has(name)) this.#components.set(name, describeResponse(this.#schemas, problems))
    return { $ref: `#/components/responses/${name}` }
  }
}

/** `key_not_found` → `KeyNotFound`; several problems are joined by `Or`. */
function responseName(codes: readonly string[]): string {
  const [shared] = sharedResponses.find(([, members]) => members.join() === codes.join()) ?? []
  return shared ?? codes.map(pascal).join('Or')
}

function pascal(code: string): string {
  return code.replaceAll(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

function describeResponse(schemas: Schemas, problems: readonly ProblemDefinition[]): Json {
  const plain = problems.filter(({ members }) => members === undefined)
  const alternatives = problems.flatMap(({ code, members }) =>
    members === undefined ? [] : [addProblemSchema(schemas, code, members)],
  )
  if (plain.length > 0) alternatives.unshift(withCodes(plain.map(({ code }) => code)))
  const [only, ...others] = alternatives
  return {
    description: problems.map(({ code, title }) => `\`${code}\`: ${title}.`).join(' '),
    headers: headersOfProblem(problems),
    content: {
      'application/problem+json': {
        schema: others.length === 0 ? only : { oneOf: alternatives },
        ...describeExamples(problems),
      },
    },
  }
}

/** Of those problems that a recorded request got, by code. */
function describeExamples(problems: readonly ProblemDefinition[]): Json {
  const known = problems.flatMap(({ code }) => {
    const value = problemExamples.get(code)
    return value === undefined ? [] : [[code, { value }] as const]
  })
  return known.length === 0 ? {} : { examples: Object.fromEntries(known) }
}

function withCodes(codes: readonly string[], members: Json = {}): Json {
  const code = { type: 'string', enum: codes, description: 'Stable name of the problem.' }
  const { properties = {}, required = [] } = members as { properties?: Json; required?: readonly string[] }
  const own = { type: 'object', properties: { code, ...properties }, required: ['code', ...required] }
  return { allOf: [{ $ref: '#/components/schemas/Problem' }, own] }
}

/** A problem with members as a named schema: `payment_declined` → `PaymentDeclinedProblem`. */
function addProblemSchema(schemas: Schemas, code: string, members: NonNullable<ProblemDefinition['members']>): Json {
  const schema = withCodes([code], responseSchema(schemas, members))
  return { $ref: `#/components/schemas/${schemas.add(`${pascal(code)}Problem`, schema, 'output')}` }
}
