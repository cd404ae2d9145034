import type { Endpoint } from '@payments/contracts/grammar/contract'
import type { Response } from 'express'

/** Names the end of a deprecated endpoint in every response: Deprecation (RFC 9745) and Sunset (RFC 8594). */
export function setDeprecationFields(response: Response, { deprecated }: Endpoint): void {
  if (deprecated === undefined) return
  const { since, sunset, link } = deprecated
  response.setHeader('Deprecation', `@${Date.parse(since) / 1000}`)
  response.setHeader('Sunset', new Date(sunset).toUTCString())
  response.setHeader('Link', `<${link}>; rel="deprecation"; type="text/html"`)
}
