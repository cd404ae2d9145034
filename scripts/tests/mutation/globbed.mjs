/** A pattern with `*` (anything except a slash), `**` (anything) and `{a,b}` as a regular expression. */
export function globbed(pattern) {
  const source = pattern.replaceAll(/[.+^$()|[\]\\]/g, '\\$&').replaceAll(/\*\*|\*|\{[^}]*\}/g, (part) => {
    if (part === '**') return '.*'
    return part === '*' ? '[^/]*' : `(?:${part.slice(1, -1).replaceAll(',', '|')})`
  })
  return new RegExp(`^${source}$`)
}
