import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative } from 'node:path'

/** A file that the build of a package wrote, such as the console. */
interface BuiltFile {
  /** Its path below the folder. */
  readonly name: string
  readonly type: string
  readonly content: Buffer
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const require = createRequire(import.meta.url)

const builtBy = (manifest: string) => join(dirname(manifest), 'dist')

export const consoleFolder = builtBy(require.resolve('@payments/console/package.json'))
export const documentationFolder = builtBy(require.resolve('@payments/docs-site/package.json'))

/** The files below a folder, without the hidden file of the build. Throws where the package was not built. */
export function builtFiles(folder: string): BuiltFile[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) => {
      const file = join(parentPath, name)
      const type = types[extname(name)]
      if (type === undefined) throw new Error(`a package has a file of an unknown type: ${file}`)
      return { name: relative(folder, file), type, content: readFileSync(file) }
    })
}
