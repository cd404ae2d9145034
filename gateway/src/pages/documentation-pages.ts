import { join } from 'node:path'
import { type Addresses, withAddresses } from './addresses.ts'
import { builtFiles, documentationFolder } from './built-files.ts'
import { type StaticPage, staticPage } from './static-page.ts'

/** Generators of clients on other origins read it. */
const openApi = 'v1/openapi.json'

/** The guides, the API reference, OpenAPI and the problems by path, with these addresses. */
export function documentationPages(addresses: Addresses): ReadonlyMap<string, StaticPage> {
  const data = new Map(
    builtFiles(join(documentationFolder, 'data')).map(({ name, type, content }) => [
      name,
      staticPage(content, { type }),
    ]),
  )
  return new Map(
    builtFiles(join(documentationFolder, 'pages')).map(({ name, type, content }) => {
      const [, page] = /^(.+)\.html$/.exec(name) ?? []
      if (page !== undefined) {
        const text = withAddresses(content.toString(), addresses)
        return [`/${page}`, staticPage(text, { type, data: data.get(`${page}.json`) })]
      }
      const headers = name === openApi ? { 'Access-Control-Allow-Origin': '*' } : {}
      return [`/${name}`, staticPage(content, { type, headers })]
    }),
  )
}
