// Shows /api/openapi.json to a person. Plain and by hand: the readers on npm bring megabytes, fonts from
// elsewhere or an inline script, and the pages' policy allows none of them.

const methods = ['get', 'post', 'delete']
let schemas = {}

/** An element with its children; texts are put in as texts, never as markup. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...children.filter((child) => child !== null && child !== undefined))
  return made
}

function resolved(schema) {
  const name = schema?.$ref?.replace('#/components/schemas/', '')
  return name ? { ...schemas[name], name } : (schema ?? {})
}

function typeText(schema) {
  const { type, items, enum: values, const: only, anyOf, oneOf, additionalProperties } = resolved(schema)
  if (only !== undefined) return JSON.stringify(only)
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  const choices = anyOf ?? oneOf
  if (choices) return [...new Set(choices.map(typeText))].join(' | ')
  if (type === 'array') return `${typeText(items)} 列表`
  if (type === 'object' && additionalProperties) return `以文本为键的 ${typeText(additionalProperties)}`
  const words = {
    string: '文本',
    integer: '整数',
    number: '数',
    boolean: '布尔',
    object: '对象',
    null: 'null',
  }
  return [type]
    .flat()
    .map((word) => words[word] ?? '任意')
    .join(' | ')
}

function limitsText(schema) {
  const { minimum, maximum, minLength, maxLength, maxItems, pattern, default: preset } = resolved(schema)
  const { description, items, anyOf = [] } = resolved(schema)
  const meanings = [description, ...[items, ...anyOf].map((one) => resolved(one).description)]
  const isBounded = (value) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER
  return [
    ...meanings,
    isBounded(minimum) ? `≥ ${minimum}` : '',
    isBounded(maximum) ? `≤ ${maximum}` : '',
    minLength > 1 ? `至少 ${minLength} 字` : '',
    maxLength !== undefined ? `最多 ${maxLength} 字` : '',
    maxItems !== undefined ? `最多 ${maxItems} 项` : '',
    pattern ? `/${pattern}/` : '',
    preset !== undefined ? `默认 ${JSON.stringify(preset)}` : '',
  ]
    .filter(Boolean)
    .join('，')
}

/** The fields of a schema as rows, those of nested objects indented by their path. */
function fieldRows(schema, prefix = '', seen = []) {
  const whole = resolved(schema)
  if (whole.name && seen.includes(whole.name)) return []
  const within = whole.name ? [...seen, whole.name] : seen
  if (whole.type === 'array') return fieldRows(whole.items, `${prefix}[]`, within)
  const choices = (whole.anyOf ?? whole.oneOf ?? []).filter((one) => resolved(one).type !== 'null')
  if (choices.length > 0) return choices.flatMap((one) => fieldRows(one, prefix, within))
  return Object.entries(whole.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix ? `${prefix}.${name}` : name
    const isRequired = whole.required?.includes(name)
    return [{ path, field, isRequired }, ...fieldRows(field, path, within)]
  })
}

function table(rows, { withRequired }) {
  const head = ['字段', '类型', ...(withRequired ? ['必填'] : []), '限制']
  return element(
    'div',
    { class: 'scroll' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...head.map((text) => element('th', {}, text)))),
      element(
        'tbody',
        {},
        ...rows.map(({ path, field, isRequired }) =>
          element(
            'tr',
            {},
            element('td', {}, element('code', {}, path)),
            element('td', {}, typeText(field)),
            ...(withRequired ? [element('td', {}, isRequired ? '是' : '')] : []),
            element('td', { class: 'quiet' }, limitsText(field)),
          ),
        ),
      ),
    ),
  )
}

function inputRows({ parameters = [], requestBody }) {
  const body = requestBody?.content['application/json']?.schema
  return [
    ...parameters.map(({ name, schema, required }) => ({ path: name, field: schema, isRequired: required })),
    ...(body ? fieldRows(body) : []),
  ]
}

function replyPart({ content = {}, description, ...rest }) {
  const schema = content['application/json']?.schema
  if (!schema) {
    const rows = rest['x-event'] ? fieldRows(rest['x-event']) : []
    return [
      element('p', { class: 'quiet' }, `${Object.keys(content).join(' ')}：${description}`),
      rows.length > 0 ? table(rows, { withRequired: false }) : null,
    ]
  }
  const rows = fieldRows(schema.properties.data)
  return rows.length > 0
    ? [table(rows, { withRequired: false })]
    : [element('p', { class: 'quiet' }, typeText(schema.properties.data))]
}

/** A value to begin with, where a call needs one. */
function sampleOf(schema) {
  const {
    type,
    const: only,
    enum: values,
    anyOf,
    oneOf,
    default: preset,
    properties,
    required,
  } = resolved(schema)
  if (preset !== undefined) return preset
  if (only !== undefined) return only
  if (values) return values[0]
  const [choice] = anyOf ?? oneOf ?? []
  if (choice) return sampleOf(choice)
  if (type === 'object')
    return Object.fromEntries((required ?? []).map((name) => [name, sampleOf(properties[name])]))
  return { integer: 0, number: 0, boolean: true, array: [] }[type] ?? ''
}

/** Longer answers are cut: the page shows them to a person. */
const shownLetters = 20_000

async function shownAnswer(response) {
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('application/json')) {
    const file = response.headers.get('content-disposition') ?? ''
    await response.body?.cancel()
    return `${type} ${file}`
  }
  const text = JSON.stringify(await response.json(), null, 2)
  return text.length > shownLetters ? `${text.slice(0, shownLetters)}\n…` : text
}

/** A form that makes the call with the key above. Nothing of it is kept. */
function trial({ path, verbs, operation }) {
  const isPublic = operation.security?.length === 0
  const answer = element('div', { role: 'status' })
  const verb = element(
    'select',
    { 'aria-label': '方法' },
    ...verbs.map((one) => element('option', {}, one.toUpperCase())),
  )
  const fields = (operation.parameters ?? []).map(({ name, required }) => {
    const control = element('input', { name, autocomplete: 'off', ...(required && { required: '' }) })
    return {
      name,
      control,
      label: element('label', {}, element('code', {}, name), required ? '（必填）' : '', control),
    }
  })
  const bodySchema = operation.requestBody?.content['application/json']?.schema
  const body = bodySchema && element('textarea', { 'aria-label': '请求体', spellcheck: 'false' })
  if (body) body.value = JSON.stringify(sampleOf(bodySchema), null, 2)
  const button = element('button', {}, '发送')
  const form = element(
    'form',
    {},
    verbs.length > 1 ? verb : null,
    ...fields.map(({ label }) => label),
    body ?? null,
    element('p', {}, button),
  )
  const send = async () => {
    const key = document.getElementById('key').value.trim()
    if (!key && !isPublic) return '请先在页面上方填写 API 密钥。'
    const method = verb.value || verbs[0].toUpperCase()
    const query = new URLSearchParams()
    let address = path
    for (const { name, control } of fields) {
      if (address.includes(`{${name}}`))
        address = address.replace(`{${name}}`, encodeURIComponent(control.value))
      else if (control.value !== '') query.set(name, control.value)
    }
    const headers = key ? { authorization: `Bearer ${key}` } : {}
    const init = { method, headers, credentials: 'omit' }
    if (body && method === 'POST')
      Object.assign(init, { body: body.value, headers: { ...headers, 'content-type': 'application/json' } })
    const response = await fetch(query.size > 0 ? `${address}?${query}` : address, init)
    return `HTTP ${response.status}\n${await shownAnswer(response)}`
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    button.disabled = true
    answer.replaceChildren('…')
    void send()
      .catch((error) => `未能调用：${error.message}`)
      .then((text) => {
        answer.replaceChildren(element('pre', { tabindex: '0' }, text))
        button.disabled = false
      })
  })
  return [form, answer]
}

/** Made when it is opened: there are hundreds of calls. */
function trialOf(call) {
  const { content = {} } = call.operation.requestBody ?? {}
  const isForm = content['multipart/form-data'] !== undefined
  const isStream = call.operation.responses['200'].content?.['text/event-stream'] !== undefined
  if (isForm || isStream || call.operation.description.includes('仅限用户本人')) return null
  const details = element('details', {}, element('summary', {}, '试用'))
  details.addEventListener('toggle', () => details.append(...trial(call)), { once: true })
  return details
}

function article({ id, path, verbs, operation }) {
  const rows = inputRows(operation)
  return element(
    'article',
    { id },
    element('h3', {}, operation.summary),
    ...verbs.map((verb) =>
      element('p', { class: 'call' }, element('b', {}, verb.toUpperCase()), element('code', {}, path)),
    ),
    element('p', { class: 'quiet' }, operation.description.replaceAll('`', '')),
    ...(rows.length > 0 ? [element('h4', {}, '输入'), table(rows, { withRequired: true })] : []),
    element('h4', {}, '应答的 data'),
    ...replyPart(operation.responses['200']),
    trialOf({ path, verbs, operation }),
  )
}

function show(all, words) {
  const wanted = all.filter(({ text }) => words.every((word) => text.includes(word)))
  const contents = document.getElementById('contents')
  contents.replaceChildren(
    ...Object.entries(Object.groupBy(wanted, ({ operation }) => operation.tags[0])).flatMap(
      ([tag, calls]) => [
        element('h2', {}, tag),
        ...calls.map(({ id, operation }) => element('a', { href: `#${id}` }, operation.summary)),
      ],
    ),
  )
  for (const { node } of all) node.hidden = true
  for (const { node } of wanted) node.hidden = false
}

async function start() {
  const main = document.getElementById('operations')
  const response = await fetch('/api/openapi.json')
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  const api = await response.json()
  schemas = api.components.schemas
  const all = Object.entries(api.paths).map(([path, item]) => {
    const verbs = methods.filter((verb) => item[verb])
    // The canonical verb's operation carries the call's own name; the others are the same call.
    const operation = verbs
      .map((verb) => item[verb])
      .toSorted((a, b) => a.operationId.length - b.operationId.length)[0]
    const call = { id: operation.operationId, path, verbs, operation }
    const text =
      `${path} ${operation.summary} ${operation.operationId} ${operation.description}`.toLowerCase()
    return { ...call, text, node: article(call) }
  })
  main.replaceChildren(
    element('p', { class: 'introduction' }, api.info.description.replaceAll('`', '')),
    ...all.map(({ node }) => node),
  )
  const search = document.getElementById('search')
  const update = () => show(all, search.value.toLowerCase().split(/\s+/).filter(Boolean))
  search.addEventListener('input', update)
  update()
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
}

start().catch((error) => {
  document.getElementById('operations').textContent = `接口文档读取失败：${error.message}`
})
