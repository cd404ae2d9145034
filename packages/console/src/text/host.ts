/** Host and port of a URL as an auth info has them: without the port 443. Undefined where the text is no URL. */
export function readHost(url: string): string | undefined {
  const { protocol, hostname, port } = URL.parse(url) ?? {}
  if (hostname === undefined || protocol === undefined) return undefined
  if (protocol === 'https:') return port ? `${hostname}:${port}` : hostname
  return `${hostname}:${port || '80'}`
}
