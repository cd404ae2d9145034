import { isUtf8 } from 'node:buffer'
import {
  bodyBytesLimit,
  type Contract,
  type Endpoint,
  type PageReply,
  type RawBody,
  type ReplyOf,
  type RequestOf,
} from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { parentInTrace } from '@payments/contracts/grammar/traceparent'
import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import {
  type Assertion,
  type AssertionKeys,
  assertionHeader,
  operationName,
  type VerifiedAssertion,
  verifyAssertion,
} from '../assertion/assertion.ts'
import { rejectCardNumbers, rejectCardNumbersInBody, rejectCardNumbersInQuery } from '../base/card-number.ts'
import { members } from '../base/fair-permits.ts'
import { loopShare } from '../base/loop-share.ts'
import { outwaitLeases } from '../database/authorization-lease.ts'
import type { Log } from '../observability/log.ts'
import { createBodyTurns } from './body-turns.ts'
import { encodeReply, logUnreadable } from './encode-reply.ts'
import { parseRequest } from './parse-request.ts'
import { createReadPermits } from './read-permits.ts'
import { type AnyCaller, type CallerOf, readCaller } from './request-caller.ts'
import './locals.ts'
import type { Tracing } from '../observability/span.ts'
import { tracing } from '../observability/trace.ts'
import { beginOperatorCall, type OperatorCalls, operatorIssuer, watchOperator } from './operator-calls.ts'
import { sendPage } from './page.ts'
import { readSender } from './sender.ts'
import { dropBody, readRawBody, requireSignedAbsence, requireSignedBody } from './signed-body.ts'
import { requireStrictJson } from './strict-json.ts'

/** Requests → verbs. One handler per endpoint of the contract; a missing or extra handler does not compile. */
export type Handlers<C extends Contract> = {
  readonly [N in keyof C['endpoints']]: (
    caller: CallerOf<C['endpoints'][N]>,
    request: RequestOf<C['endpoints'][N]>,
  ) => Promise<ReplyOf<C['endpoints'][N]>>
}

export interface RouterOptions {
  readonly keys: AssertionKeys
  readonly operatorCalls: OperatorCalls
  readonly log: Log
}

/**
 * **What it does.** Serves the endpoints of a contract.
 *
 * **Guarantees.** In this order:
 * 1. The assertion is verified, and names the operation that this router found.
 * 2. The caller may call the endpoint, and has its permission.
 * 3. The body is the signed body, and JSON that every parser reads alike; a raw body is not parsed. Nothing from a
 *    tenant or payer has a card number. The handler inspects a raw body of `calledByServers`.
 * 4. Path, query and body match the contract.
 * 5. A call of an operator is recorded.
 * 6. The handler runs. The contract encodes its reply.
 * 7. A response with `changesAuthorization` waits for the leases of the gateways.
 *
 * **Not guaranteed.** A time limit for handlers.
 */
export function contractRouter<C extends Contract>(contract: C, handlers: Handlers<C>, options: RouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const turns = createBodyTurns()
  const reads = createReadPermits()
  router.use(readAssertion(contract.service, options.keys), watchOperator(options.operatorCalls, options.log))
  for (const [operation, endpoint] of literalFirst(contract.endpoints)) {
    const handler = wrapHandler(handlers, operation, endpoint)
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')
    const chain: RequestHandler[] = [requireAccess(contract.service, operation, endpoint)]
    const isInspected = endpoint.audience !== 'internal'
    if (isInspected && endpoint.foreignQuery !== true) chain.push(inspectQuery)
    if (endpoint.rawBody !== undefined) {
      // The sender of a signed body is verified by the handler, which inspects the body afterwards.
      const inspect = endpoint.calledByServers === true ? () => {} : rejectCardNumbersInBody
      chain.push(...readRawBody(endpoint, inspect))
    } else if (endpoint.body === undefined) chain.push(...dropBody)
    else chain.push(requireJson, turns.take, parseBody(endpoint, isInspected), requireSignedAbsence)
    chain.push(async (request, response) => {
      const parsed = parseRequest(endpoint, request)
      turns.end(response)
      const caller = readCaller(response.locals.assertion, endpoint, request, response, parsed)
      response.locals.idempotency = 'idempotency' in caller ? caller.idempotency : null
      await beginOperatorCall(response, parsed)
      const { span, rawBody } = response.locals
      const input = rawBody === undefined ? parsed : { ...parsed, raw: rawBody }
      const handle = () => handler(caller, input)
      const respond = async () => {
        const reply = await (span === undefined || tracing === undefined ? handle() : tracing.run(span, handle))
        await inLoopShare(response, () => send(response, endpoint, reply, options.log))
      }
      await members.run(readSender(response).member, () => reads.run(endpoint, response, respond))
    })
    router[endpoint.method.toLowerCase() as 'get'](path, ...chain)
  }
  return router
}

/** Encodes a reply in the share of its tenant; beyond the limits without a wait, because its effect has happened. */
async function inLoopShare(response: Response, encode: () => void): Promise<void> {
  const end = await loopShare.begin(response.locals.assertion?.tenantId ?? '').catch(() => () => {})
  try {
    encode()
  } finally {
    end()
  }
}

const inspectQuery: RequestHandler = (request, _response, next) => {
  rejectCardNumbersInQuery(request.query)
  next()
}

function parseBody(endpoint: Endpoint, isInspected: boolean): RequestHandler {
  const inspect = isInspected ? (decoded: string) => rejectCardNumbers(decoded) : () => {}
  return express.json({
    limit: bodyBytesLimit(endpoint),
    inflate: false,
    strict: false,
    verify: (_request, response, body) => {
      requireSignedBody(response as Response, body)
      // Decoding would silently replace invalid UTF-8, and another text would be stored than was sent.
      if (!isUtf8(body)) throw notUtf8()
      requireStrictJson(body.toString('utf8'), inspect)
    },
  })
}

type Handler = (
  caller: AnyCaller,
  request: Omit<RequestOf<Endpoint>, 'raw'> & { raw: RawBody | undefined },
) => Promise<unknown>

function wrapHandler<C extends Contract>(handlers: Handlers<C>, operation: string, endpoint: Endpoint): Handler {
  const handler = handlers[operation] as Handler
  if (endpoint.changesAuthorization !== true) return handler
  return async (caller, request) => {
    try {
      return await handler(caller, request)
    } finally {
      await outwaitLeases()
    }
  }
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
function readAssertion(service: string, keys: AssertionKeys): RequestHandler {
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

/**
 * Requires an assertion that names this operation, a caller of the endpoint, and its permission. The gateway has
 * decided the same before; the service does not rely on that.
 */
function requireAccess(service: string, operation: string, endpoint: Endpoint): RequestHandler {
  const asserted = operationName(service, operation)
  return (request, response, next) => {
    response.locals.operation = operation
    response.locals.route = endpoint.path
    const { assertion } = response.locals
    if (assertion?.operation !== asserted) throw new Problem(commonProblems.invalid_credentials)
    if (!mayCall(assertion, endpoint)) throw new Problem(commonProblems.invalid_credentials)
    if (endpoint.permission !== undefined && !assertion.permissions.includes(endpoint.permission)) {
      throw new Problem(commonProblems.permission_denied, { detail: `The operation needs ${endpoint.permission}` })
    }
    if (tracing !== undefined) traceRequest(tracing, assertion, endpoint, request, response)
    next()
  }
}

/** The span of a verified request, from here to the end of the response. */
function traceRequest(
  { start }: Tracing,
  { traceId, tenantId }: VerifiedAssertion,
  { method, path }: Endpoint,
  request: Request,
  response: Response,
): void {
  const span = start(`${method} ${path}`, {
    kind: 'server',
    traceId,
    parent: parentInTrace(request.headers['traceparent'], traceId),
    attributes: { 'http.request.method': method, 'http.route': path, 'payments.tenant.id': tenantId },
  })
  response.locals.span = span
  response.once('close', () => {
    const { statusCode } = response
    span.end({ 'http.response.status_code': statusCode }, statusCode >= 500 ? String(statusCode) : undefined)
  })
}

/** Decides by the key that verified the assertion; `verifyAssertion` has checked that a service asserts itself. */
function mayCall({ issuer, actor }: VerifiedAssertion, { audience, callers = [] }: Endpoint): boolean {
  if (audience === 'internal') return actor.type === 'service' && callers.includes(issuer)
  if (audience === 'public') return actor.type === 'anonymous'
  return actor.type === 'api_key' || actor.type === 'user'
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

function send(response: Response, endpoint: Endpoint, reply: unknown, log: Log): void {
  if (endpoint.page !== undefined) return sendPage(response, endpoint, reply as PageReply)
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
  if (schema === null) return void response.end()
  const { operation = 'none', traceId } = response.locals
  const encoded = encodeReply(schema, body, (unreadable) => logUnreadable(log, { operation, traceId, ...unreadable }))
  if (status === 201 && endpoint.location !== undefined)
    response.set('Location', buildLocation(endpoint.location, encoded))
  response.type('application/json').send(JSON.stringify(encoded))
}

/** Fills the template with fields of the reply. */
function buildLocation(template: string, reply: unknown): string {
  return template.replaceAll(/\{([\w.]+)\}/g, (_, path: string) => {
    const value = path.split('.').reduce((at, field) => (at as Record<string, unknown> | undefined)?.[field], reply)
    if (typeof value !== 'string') throw new Error(`the reply has no ${path} for its location ${template}`)
    return encodeURIComponent(value)
  })
}
