import type { Request } from 'express'

const forms = ['application/problem+json', 'application/json', 'text/html']

/** Whether the client prefers HTML to JSON, as browsers do. A program that names no media type gets JSON. */
export function prefersPage(request: Request): boolean {
  return request.accepts(forms) === 'text/html'
}
