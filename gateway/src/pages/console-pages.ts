import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { type StaticPage, staticPage } from './static-page.ts'

/**
 * The console: a static shell without any data, and the chunks of its application. Its scripts call the API with the
 * session cookie. The headers let the shell load from this origin only, let no text become a script, and let no other
 * site open, frame or read the shell.
 */
const consolePath = '/console'

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

const headers = {
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const require = createRequire(import.meta.url)
const directory = join(dirname(require.resolve('@payments/console/package.json')), 'dist')

export interface ConsolePages {
  /** The shell, which has every path below `/console` that is no file. */
  readonly shell: StaticPage
  readonly files: ReadonlyMap<string, StaticPage>
  /** Whether the path belongs to the console. */
  readonly has: (path: string) => boolean
}

/** Reads the built console. Throws where it was not built. */
export function consolePages(): ConsolePages {
  const shell = readFileSync(join(directory, 'index.html'))
  const chunks = readdirSync(join(directory, 'assets')).map((name) => `assets/${name}`)
  const files = [...chunks, 'icon.svg'].map((name): [string, StaticPage] => {
    const type = types[extname(name)]
    if (type === undefined) throw new Error(`the console has a file of an unknown type: ${name}`)
    // The name of a chunk is the hash of its content.
    const isImmutable = name.startsWith('assets/')
    return [`${consolePath}/${name}`, staticPage(readFileSync(join(directory, name)), { type, headers, isImmutable })]
  })
  return {
    shell: staticPage(shell, { type: 'text/html; charset=utf-8', headers }),
    files: new Map(files),
    has: (path) => path === consolePath || path.startsWith(`${consolePath}/`),
  }
}
