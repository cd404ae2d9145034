import { parse } from 'node:url'

/**
 * Lets Node warn of `url.parse` (DEP0169) once, without a message. express-http-proxy calls it for each request, and
 * until Node has warned, each call inspects the stack, for 2 to 9 µs. Node never warns of a call by a package.
 */
export function suppressUrlParseWarning(): void {
  const { noDeprecation = false } = process
  process.noDeprecation = true
  try {
    parse('http://localhost')
  } finally {
    process.noDeprecation = noDeprecation
  }
}
