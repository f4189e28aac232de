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
