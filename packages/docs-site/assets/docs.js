// The pages of the documentation are complete without this script. It sends the requests of the API reference, filters
// the list of operations, and copies code.

const responseTextMax = 100_000
const timeoutMs = 45_000
/** Ids of the reader's own tenant. The body of a form has `<role_id>` in place of each. */
const ownIds = ['business_unit_id', 'role_id']
const stored = ['credential', 'tenant', ...ownIds]

/** A random UUID (version 4). `crypto.randomUUID` exists over HTTPS and on this machine only. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** A value of the credentials form. It ends with the tab. */
const storedValue = (name) => sessionStorage.getItem(`payments.${name}`) ?? ''

function connectCredentials(form) {
  for (const name of stored) form.elements[name].value = storedValue(name)
  form.addEventListener('input', ({ target }) => {
    sessionStorage.setItem(`payments.${target.name}`, target.value.trim())
    fillOwnIds(ownIds.filter((id) => id === target.name))
  })
  form.addEventListener('submit', (event) => event.preventDefault())
}

/** Fills ids of the reader into every path, and all into bodies that nobody has edited. */
function fillOwnIds(ids) {
  for (const id of ids) {
    const value = storedValue(id)
    for (const input of document.getElementsByName(`path:${id}`)) {
      if (value === '' || input.value === value) continue
      input.value = value
      renewIdempotencyKey(input.form)
    }
  }
  for (const body of document.getElementsByName('body')) fillBody(body)
}

/** Fills the ids of the reader, and a new text where it must be unique, unless somebody has edited the body. */
function fillBody(body) {
  if (body.value !== (body.dataset.filled ?? body.defaultValue)) return
  const { unique } = body.form.dataset
  let text = body.defaultValue
  for (const id of ownIds) text = text.replaceAll(`"<${id}>"`, () => JSON.stringify(storedValue(id) || `<${id}>`))
  if (unique !== undefined)
    text = text.replace(
      new RegExp(`("${unique}": )"([^"]*)"`),
      (_, name, value) => name + JSON.stringify(renewed(value)),
    )
  if (text !== body.value) renewIdempotencyKey(body.form)
  body.value = text
  body.dataset.filled = text
}

/** `order-4711` → `order-kdmbfgae`, `grace@example.com` → `grace+kdmbfgae@example.com`. Letters are no card number. */
function renewed(value) {
  const letters = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => String.fromCharCode(97 + (byte % 16)))
  const [name, host] = value.split('@')
  if (host !== undefined) return `${name}+${letters.join('')}@${host}`
  return `${name.replace(/-\d+$/, '')}-${letters.join('')}`
}

/** The key belongs to one request: path, query and body. */
function renewIdempotencyKey(form) {
  for (const input of form.getElementsByTagName('input')) {
    if (input.name !== 'header:Idempotency-Key') continue
    input.value = uuid()
    delete input.dataset.own
  }
}

function fillUuids(form) {
  for (const input of form.querySelectorAll('[data-uuid]')) input.value = uuid()
}

function buildRequest(form) {
  const { method, path, authenticated } = form.dataset
  const headers = {}
  const query = new URLSearchParams()
  let url = path
  for (const { name, value } of form.querySelectorAll('input')) {
    const [place, field] = name.split(':')
    const text = value.trim()
    if (place === 'path') url = url.replace(`{${field}}`, encodeURIComponent(text))
    else if (text !== '' && place === 'query') query.append(field, text)
    else if (text !== '') headers[field] = text
  }
  if (authenticated === 'true') {
    headers.Authorization = `Bearer ${storedValue('credential')}`
    if (storedValue('tenant') !== '') headers['Tenant-ID'] = storedValue('tenant')
  }
  const body = form.elements.body?.value
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  return { url: query.size === 0 ? url : `${url}?${query}`, init: { method, headers, body } }
}

async function send(form) {
  const output = form.querySelector('.response')
  const button = form.querySelector('button')
  button.disabled = true
  output.replaceChildren('Sending …')
  const from = performance.now()
  try {
    const { url, init } = buildRequest(form)
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { ...init, signal, credentials: 'omit', cache: 'no-store' })
    const text = await response.text()
    const elapsedMs = Math.round(performance.now() - from)
    showResponse(output, `${response.status} ${response.statusText} · ${elapsedMs} ms`, formatted(text))
  } catch (error) {
    showResponse(output, 'No response', String(error))
  } finally {
    button.disabled = false
  }
}

function formatted(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, responseTextMax)
  } catch {
    return text.slice(0, responseTextMax)
  }
}

function showResponse(output, status, text) {
  const heading = document.createElement('p')
  heading.append(Object.assign(document.createElement('strong'), { textContent: status }))
  const pre = Object.assign(document.createElement('pre'), { textContent: text, tabIndex: 0 })
  output.replaceChildren(heading, ...(text === '' ? [] : [pre]))
}

function connectForm(form) {
  fillUuids(form)
  if (form.elements.body !== undefined) fillBody(form.elements.body)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    await send(form)
    // Each click is a new request, unless the reader has given the Idempotency-Key: then it repeats the same one.
    for (const input of form.querySelectorAll('[data-uuid]:not([data-own])')) input.value = uuid()
    if (form.querySelector('[data-own]') === null && form.elements.body !== undefined) fillBody(form.elements.body)
  })
  form.addEventListener('input', ({ target }) => {
    if (target.name === 'header:Idempotency-Key') target.dataset.own = ''
    if (/^(?:body$|path:|query:)/.test(target.name)) renewIdempotencyKey(form)
  })
}

function connectFilter(input) {
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/)
    for (const item of document.querySelectorAll('ul.operations li')) {
      const text = item.textContent.toLowerCase()
      item.hidden = !words.every((word) => text.includes(word))
    }
    for (const section of document.querySelectorAll('section.service')) {
      section.hidden = section.querySelector('li:not([hidden])') === null
    }
  })
}

function addCopyButton(box) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' })
  button.className = 'copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(box.querySelector('pre').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  box.append(button)
}

/** One choice of the language for every example, kept for the next pages of the tab. */
function connectLanguages(choices) {
  const choose = (language) => {
    for (const choice of choices) if (choice.value === language) choice.checked = true
  }
  choose(storedValue('language'))
  for (const choice of choices) {
    choice.addEventListener('change', () => {
      sessionStorage.setItem('payments.language', choice.value)
      const before = choice.getBoundingClientRect().top
      choose(choice.value)
      // Examples above may have become longer or shorter.
      scrollBy(0, choice.getBoundingClientRect().top - before)
    })
  }
}

const credentials = document.querySelector('.credentials form')
if (credentials !== null) connectCredentials(credentials)
for (const form of document.querySelectorAll('.try form')) connectForm(form)
fillOwnIds(ownIds)
const filter = document.querySelector('#filter')
if (filter !== null) connectFilter(filter)
connectLanguages(document.querySelectorAll('.languages input'))
// Browsers have a clipboard over HTTPS and on this machine only.
if (navigator.clipboard !== undefined) for (const box of document.querySelectorAll('main .code')) addCopyButton(box)
