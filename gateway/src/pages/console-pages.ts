import { builtFiles, consoleFolder } from './built-files.ts'
import { type StaticPage, staticPage } from './static-page.ts'

/**
 * The console: a static shell without any data, and the chunks of its application. Its scripts call the API with the
 * session cookie. The policy lets the shell load from this origin only, and lets no text become a script.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "frame-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const consolePath = '/console'
const chunks = `${consolePath}/assets/`

/**
 * The page of the console at a path: a file, or the shell at every path below `/console` that is no file. Undefined for
 * a path elsewhere, and for a chunk that this image does not have: an open page of another release then loads again.
 */
export function consolePages(): (path: string) => StaticPage | undefined {
  const files = new Map(
    builtFiles(consoleFolder).map(({ name, type, content }) => {
      const path = `${consolePath}/${name}`
      // The name of a chunk is the hash of its content.
      const isImmutable = path.startsWith(chunks)
      return [path, staticPage(content, { type, headers: { 'Content-Security-Policy': policy }, isImmutable })]
    }),
  )
  // The next image reads it (scripts/release/previous-chunks.mjs).
  files.delete(`${consolePath}/manifest.json`)
  const shell = files.get(`${consolePath}/index.html`)
  return (path) => files.get(path) ?? (isOfShell(path) ? shell : undefined)
}

const isOfShell = (path: string) =>
  path === consolePath || (path.startsWith(`${consolePath}/`) && !path.startsWith(chunks))
