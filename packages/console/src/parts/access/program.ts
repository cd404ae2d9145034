/** The more specific name first: Edge also names Chrome, and Chrome also names Safari. */
const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' }
const systems = {
  Windows: 'Windows',
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  'Mac OS X': 'macOS',
  Linux: 'Linux',
}

/** `Chrome on Linux`, of the User-Agent of a browser; the User-Agent of another program as it is. */
export function nameProgram(userAgent: string): string {
  const nameIn = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).find(([part]) => userAgent.includes(part))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  return browser === undefined || system === undefined ? userAgent : `${browser} on ${system}`
}
