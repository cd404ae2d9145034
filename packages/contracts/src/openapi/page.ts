import type { Endpoint, PageStatus } from '../grammar/contract.ts'
import { headersOfDeprecation } from './headers.ts'

/** The responses and the form of a page, in an OpenAPI document. */
type Json = Record<string, unknown>

export const form: Json = { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } }

const descriptions: Readonly<Record<PageStatus, string>> = {
  200: 'The page.',
  303: 'Leads to the page in `Location`.',
  400: 'The form cannot be read.',
  403: 'The person may not enter.',
  404: 'There is no such page.',
  409: 'The form is outdated.',
  410: 'The page is gone.',
  429: 'Too many attempts.',
  503: 'The page is not available.',
}

const traceId = { 'Trace-ID': { $ref: '#/components/headers/TraceId' } }
const location = { description: 'The path of the page.', schema: { type: 'string', format: 'uri-reference' } }
const content = { 'text/html': { schema: { type: 'string' } } }

/** Every response to a browser is a page, responses of the gateway included. */
export function pageResponses(endpoint: Endpoint, statuses: readonly PageStatus[]): Json {
  const shared = { ...traceId, ...headersOfDeprecation(endpoint) }
  // The gateway limits the requests of an address for every page.
  const declared = [...new Set([...statuses, 429 as const])]
    .sort((a, b) => a - b)
    .map((status) => {
      const headers = status === 303 ? { ...shared, Location: location } : shared
      return [status, { description: descriptions[status], headers, content }]
    })
  const failure = { description: 'The request failed.', headers: shared, content }
  return { ...Object.fromEntries(declared), default: failure }
}
