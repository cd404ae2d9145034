// The search of the documentation: every word of the query in title or text, titles first.

const resultsMax = 30
const queryCharactersMax = 200
const snippetCharacters = 160

const input = document.querySelector('#search')
const found = document.querySelector('#found')
const results = document.querySelector('#results')
let entries

async function loadedEntries() {
  entries ??= fetch('/docs/search.json', { signal: AbortSignal.timeout(20_000) }).then((response) => {
    if (!response.ok) throw new Error(`status ${response.status}`)
    return response.json()
  })
  try {
    return await entries
  } catch (error) {
    entries = undefined
    throw error
  }
}

/** Words that readers use for a term of these pages. */
const synonyms = { '3ds': ['3d', 'secure'], '3ds2': ['3d', 'secure'] }

/** Without hyphens: `3-D Secure` is found by `3D Secure`. */
const plain = (text) => text.toLowerCase().replaceAll('-', '')

/** The words of a query. A word of one letter is in every text. */
const splitWords = (query) =>
  plain(query)
    .split(/\s+/)
    .filter((word) => word.length > 1)
    .flatMap((word) => synonyms[word] ?? [word])

/** Readers look for these kinds more often, among entries with the same words. */
const kindScores = { Operation: 2, Guide: 1 }

/** Undefined without one of the words. A word of the title counts more, and most at its beginning. */
function scoreEntry({ kind, title, text }, words) {
  const lowerTitle = plain(title)
  const lowerText = plain(text)
  let score = kindScores[kind] ?? 0
  for (const word of words) {
    if (lowerTitle.startsWith(word)) score += 12
    else if (lowerTitle.includes(word)) score += 8
    else if (lowerText.includes(word)) score += 1
    else return undefined
  }
  return score
}

/** The text around the first word of the query. */
function cutSnippet(text, words) {
  const lower = text.toLowerCase()
  const at = Math.min(...words.map((word) => lower.indexOf(word)).filter((index) => index >= 0))
  const from = Number.isFinite(at) ? Math.max(0, at - snippetCharacters / 3) : 0
  const end = from + snippetCharacters
  return `${from > 0 ? '…' : ''}${text.slice(from, end)}${end < text.length ? '…' : ''}`
}

function buildItem({ kind, title, href, text }, words) {
  const link = Object.assign(document.createElement('a'), { href, textContent: title })
  const label = Object.assign(document.createElement('span'), { className: 'kind', textContent: kind })
  const snippet = Object.assign(document.createElement('span'), { textContent: cutSnippet(text, words) })
  const item = document.createElement('li')
  item.append(label, link, snippet)
  return item
}

async function search() {
  const query = input.value.slice(0, queryCharactersMax)
  const words = splitWords(query)
  history.replaceState(null, '', query === '' ? location.pathname : `?q=${encodeURIComponent(query)}`)
  if (words.length === 0) {
    found.textContent = query.trim() === '' ? '' : 'Enter a word of at least two letters.'
    results.replaceChildren()
    return
  }
  try {
    const all = await loadedEntries()
    // A later query has its own results.
    if (input.value.slice(0, queryCharactersMax) !== query) return
    const matching = all
      .map((entry) => ({ entry, score: scoreEntry(entry, words) }))
      .filter(({ score }) => score !== undefined)
      .sort((a, b) => b.score - a.score)
    const shown = matching.slice(0, resultsMax)
    const more = matching.length > shown.length ? `, the first ${shown.length} are below` : ''
    found.textContent = `${matching.length === 1 ? '1 result' : `${matching.length} results`}${more}`
    results.replaceChildren(...shown.map(({ entry }) => buildItem(entry, words)))
  } catch (error) {
    found.textContent = `The search is not available: ${error.message}`
    results.replaceChildren()
  }
}

document.querySelector('#without-search').remove()
// A reader may have typed before this script was loaded.
if (input.value === '') {
  input.value = (new URLSearchParams(location.search).get('q') ?? '').slice(0, queryCharactersMax)
}
input.addEventListener('input', search)
input.focus()
if (input.value !== '') void search()
