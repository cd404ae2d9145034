import { bodyBytesLimit, bodyBytesMax, type Endpoint } from '@payments/contracts/grammar/contract'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import express, { type RequestHandler, type Response } from 'express'
import { bodyHash } from '../assertion/assertion.ts'
import './locals.ts'

/** Reads bodies as received: the bytes must be those that the sender of the assertion signed. */

/** Runs on the received bytes, before they are parsed. */
export function requireSignedBody(response: Response, body: Buffer): void {
  response.locals.isBodyVerified = true
  if (bodyHash(body) !== response.locals.assertion?.bodyHash) throw new Problem(commonProblems.invalid_credentials)
}

/** Without a body, body-parser does not call `verify`: the sender must have signed zero bytes. */
export const requireSignedAbsence: RequestHandler = (_request, response, next) => {
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

const clearBody: RequestHandler = (request, response, next) => {
  request.body = undefined
  requireSignedAbsence(request, response, next)
}

export const dropBody: readonly RequestHandler[] = [readUnusedBody, clearBody]

/** Reads the bytes of a body that is not parsed, and the headers of its contract. `inspect` throws to reject it. */
export function readRawBody(
  endpoint: Pick<Endpoint, 'audience' | 'rawBody' | 'bodyBytesMax'>,
  inspect: (body: string) => void,
): readonly RequestHandler[] {
  const read = express.raw({
    type: () => true,
    limit: bodyBytesLimit(endpoint),
    inflate: false,
    verify: (_request, response, body) => {
      requireSignedBody(response as Response, body)
      inspect(body.toString('utf8'))
    },
  })
  return [read, requireSignedAbsence, keepRawBody(endpoint.rawBody?.headers ?? [])]
}

/** Stores the bytes apart from `request.body`, which is for parsed bodies. */
function keepRawBody(names: readonly string[]): RequestHandler {
  return (request, response, next) => {
    const bytes = Buffer.isBuffer(request.body) ? request.body : noBytes
    const headers = Object.fromEntries(names.map((name) => [name, request.get(name)]))
    response.locals.rawBody = { bytes, headers }
    request.body = undefined
    next()
  }
}
