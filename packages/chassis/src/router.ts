import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { Contract, Endpoint, ReplyOf, RequestOf } from '@payments/contracts/contract'
import { commonProblems, Problem } from '@payments/contracts/problem'
import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import {
  type Assertion,
  type AssertionKeys,
  assertionHeader,
  bodyHash,
  operationName,
  type VerifiedAssertion,
  verifyAssertion,
} from './assertion.ts'
import type { Caller, Idempotency, ServiceCaller } from './caller.ts'
import { rejectDuplicateMembers } from './duplicate-members.ts'
import { parseRequest, rawHeaderValues } from './http.ts'
import type { Log } from './log.ts'
import './locals.ts'
import { beginOperatorCall, type OperatorCalls, operatorIssuer, watchOperator } from './operator-calls.ts'

/** Requests → verbs. One handler per endpoint of the contract; a missing or extra handler does not compile. */
export type Handlers<C extends Contract> = {
  readonly [N in keyof C['endpoints']]: (
    caller: C['endpoints'][N]['audience'] extends 'internal' ? ServiceCaller : Caller,
    request: RequestOf<C['endpoints'][N]>,
  ) => Promise<ReplyOf<C['endpoints'][N]>>
}

export interface RouterOptions {
  readonly keys: AssertionKeys
  /** Records the calls of operators. */
  readonly operatorCalls: OperatorCalls
  readonly log: Log
  /** Inspects the text of the body before it is parsed. Throws a Problem to reject the request. */
  readonly inspectBody?: (body: string) => void
}

const bodyBytesMax = 256 * 1024

/**
 * **What it does.** Serves the endpoints of a contract: verifies the assertion, parses the request, calls the verb,
 * encodes the response.
 *
 * **Participants.** The sender, which signed the assertion; the contract, which defines endpoints and schemas; one
 * handler per endpoint.
 *
 * **Guarantees.** In this order, and each step before the next:
 * 1. The assertion is verified, and names the operation that this router found.
 * 2. The caller may call the endpoint, and has its permission.
 * 3. The body is the signed body, valid UTF-8, valid JSON, and has no duplicate members.
 * 4. Path, query and body match the contract.
 * 5. A call of an operator is recorded.
 * 6. The handler runs. Its reply is encoded by the contract, so a field outside of the contract cannot leave.
 *
 * **Not guaranteed.** A time limit for handlers.
 */
export function contractRouter<C extends Contract>(contract: C, handlers: Handlers<C>, options: RouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const parseBody = express.json({
    limit: bodyBytesMax,
    inflate: false,
    strict: false,
    verify: (_request, response, body) => {
      requireSignedBody(response as Response, body)
      // Decoding would silently replace invalid UTF-8, and another text would be stored than was sent.
      if (!isUtf8(body)) throw notUtf8()
      options.inspectBody?.(body.toString('utf8'))
      rejectDuplicateMembers(body.toString('utf8'))
    },
  })
  router.use(identify(contract.service, options.keys), watchOperator(options.operatorCalls, options.log))
  for (const [operation, endpoint] of literalFirst(contract.endpoints)) {
    const handler = handlers[operation] as (
      caller: Caller | ServiceCaller,
      request: RequestOf<Endpoint>,
    ) => Promise<unknown>
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')
    const chain: RequestHandler[] = [authorize(contract.service, operation, endpoint)]
    if (endpoint.body === undefined) chain.push(readUnusedBody, dropUnusedBody)
    else chain.push(requireJson, parseBody, requireSignedAbsence)
    chain.push(async (request, response) => {
      const parsed = parseRequest(endpoint, request)
      const caller = callerOf(response.locals.assertion, endpoint, request)
      response.locals.idempotency = 'idempotency' in caller ? caller.idempotency : null
      await beginOperatorCall(response, parsed)
      send(response, endpoint, await handler(caller, parsed))
    })
    router[endpoint.method.toLowerCase() as 'get'](path, ...chain)
  }
  return router
}

/** A literal segment is tried before a parameter in the same place: `/webhooks/reveal` before `/webhooks/{id}`. */
export function literalFirst(endpoints: Contract['endpoints']): [string, Endpoint][] {
  const rank = (path: string) => path.replaceAll(/\{\w+\}/g, '~')
  return Object.entries(endpoints).sort(([, a], [, b]) => (rank(a.path) < rank(b.path) ? -1 : 1))
}

/**
 * Verifies the assertion. Runs before routing, so that a response to an unknown or invalid path has the trace id of the
 * caller too.
 */
function identify(service: string, keys: AssertionKeys): RequestHandler {
  return (request, response, next) => {
    const token = request.headers[assertionHeader]
    const { method, originalUrl: path } = request
    const assertion = verifyAssertion(typeof token === 'string' ? token : undefined, service, keys, { method, path })
    if (assertion !== undefined && hasValidOperator(assertion)) {
      response.locals.assertion = assertion
      response.locals.traceId = assertion.traceId
      response.set('Trace-ID', assertion.traceId)
    }
    next()
  }
}

/** Each call of payctl names its operator; no other process may name one. */
function hasValidOperator({ issuer, operator }: Assertion & { issuer: string }): boolean {
  return (issuer === operatorIssuer) === (operator !== undefined)
}

/** The gateway authorized the request already; the service authorizes it again by the assertion. */
function authorize(service: string, operation: string, endpoint: Endpoint): RequestHandler {
  const asserted = operationName(service, operation)
  return (_request, response, next) => {
    response.locals.operation = operation
    const { assertion } = response.locals
    if (assertion?.operation !== asserted) throw new Problem(commonProblems.invalid_credentials)
    if (!mayCall(assertion, endpoint)) throw new Problem(commonProblems.invalid_credentials)
    if (endpoint.permission !== undefined && !assertion.permissions.includes(endpoint.permission)) {
      throw new Problem(commonProblems.permission_denied, { detail: `The operation needs ${endpoint.permission}` })
    }
    next()
  }
}

/** Decides by the key that verified the assertion; `verifyAssertion` has checked that a service asserts itself. */
function mayCall({ issuer, actor }: VerifiedAssertion, { audience, callers = [] }: Endpoint): boolean {
  return audience === 'internal' ? actor.type === 'service' && callers.includes(issuer) : actor.type !== 'service'
}

/** Runs on the received bytes, before they are parsed. */
function requireSignedBody(response: Response, body: Buffer): void {
  response.locals.isBodyVerified = true
  if (bodyHash(body) !== response.locals.assertion?.bodyHash) throw new Problem(commonProblems.invalid_credentials)
}

/** Without a body, body-parser does not call `verify`: the sender must have signed zero bytes. */
const requireSignedAbsence: RequestHandler = (_request, response, next) => {
  if (response.locals.isBodyVerified !== true) requireSignedBody(response, noBytes)
  next()
}

const noBytes = Buffer.alloc(0)

/** An endpoint without a body ignores a signed body, and rejects an unsigned one. */
const readUnusedBody = express.raw({
  type: () => true,
  limit: bodyBytesMax,
  inflate: false,
  verify: (_request, response, body) => requireSignedBody(response as Response, body),
})

const dropUnusedBody: RequestHandler = (request, response, next) => {
  request.body = undefined
  requireSignedAbsence(request, response, next)
}

function callerOf(assertion: Assertion | undefined, endpoint: Endpoint, request: Request): Caller | ServiceCaller {
  if (assertion === undefined) throw new Problem(commonProblems.invalid_credentials)
  const { actor, tenantId, traceId, permissions } = assertion
  if (actor.type === 'service') return { service: actor.id, traceId }
  if (actor.type === 'anonymous' || tenantId === null) throw new Problem(commonProblems.invalid_credentials)
  return {
    tenantId,
    actor: { type: actor.type, id: actor.id },
    permissions: new Set(permissions),
    traceId,
    idempotency: endpoint.idempotent === true ? idempotencyOf(request) : null,
  }
}

function idempotencyOf(request: Request): Idempotency | null {
  const values = rawHeaderValues(request, 'idempotency-key')
  if (values.length === 0) return null
  const [key = ''] = values
  if (values.length > 1 || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    const detail = 'must be given once, with 1 to 255 printable ASCII characters without spaces'
    throw new Problem(commonProblems.invalid_header, { errors: [{ pointer: '/headers/Idempotency-Key', detail }] })
  }
  const fingerprint = hash('sha256', JSON.stringify([request.method, request.originalUrl, request.body ?? null]))
  return { key, fingerprint, replayed: false }
}

function notUtf8(): Problem {
  const detail = 'is not valid UTF-8'
  return new Problem(commonProblems.invalid_request, { errors: [{ pointer: '', detail }] })
}

const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody =
    request.headers['content-length'] !== undefined
      ? request.headers['content-length'] !== '0'
      : request.headers['transfer-encoding'] !== undefined
  const isUtf8 = !/charset=(?!"?utf-?8"?\s*(;|$))/i.test(request.headers['content-type'] ?? '')
  if (hasBody && (!isUtf8 || request.is('application/json') === false))
    throw new Problem(commonProblems.unsupported_media_type)
  next()
}

function send(response: Response, endpoint: Endpoint, reply: unknown): void {
  const statuses = Object.keys(endpoint.replies).map(Number)
  const { status, body } =
    statuses.length === 1
      ? { status: statuses[0], body: reply }
      : (reply as { status: number | undefined; body: unknown })
  const schema = endpoint.replies[status as 200]
  if (status === undefined || schema === undefined)
    throw new Error(`a reply of status ${status} is not in the contract`)
  response.status(status).set('Cache-Control', 'no-store')
  if (response.locals.idempotency?.replayed === true) response.set('Idempotent-Replayed', 'true')
  if (schema === null) response.end()
  else response.type('application/json').send(JSON.stringify(schema.parse(body)))
}
