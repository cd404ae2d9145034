/**
 * A file of variables, as systemd (`EnvironmentFile`), Docker Compose (`env_file`), `node --env-file` and a shell read
 * it: `NAME='value'`, one a line.
 */

const line = /^(?:export )?(\w+)=(.*)$/

export function readEnvFile(text: string): Map<string, string> {
  const variables = new Map<string, string>()
  for (const one of text.split('\n')) {
    const [, name, written = ''] = line.exec(one) ?? []
    if (name !== undefined) variables.set(name, withoutQuotes(written.trim()))
  }
  return variables
}

/** Replaces the lines of these variables and appends those that have none. Other lines stay as they are. */
export function writeEnvFile(text: string, variables: ReadonlyMap<string, string>): string {
  const missing = new Map(variables)
  const lines = text.split('\n').map((one) => {
    const [, name = ''] = line.exec(one) ?? []
    const value = missing.get(name)
    missing.delete(name)
    return value === undefined ? one : `${name}='${value}'`
  })
  const rest = lines.join('\n').replace(/\n*$/, text === '' ? '' : '\n')
  return rest + [...missing].map(([name, value]) => `${name}='${value}'\n`).join('')
}

function withoutQuotes(written: string): string {
  return /^(['"]).*\1$/.test(written) ? written.slice(1, -1) : written
}
