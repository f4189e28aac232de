// The Chinese literals of a parsed source: strings, templates and the texts of elements, for the build of the English
// console, which puts their English in their place, and for the test that looks for those that have none.

const han = /\p{Script=Han}/u

/**
 * `key` is the text itself, of a template with {0}, {1} … for what is put in. A pair `{ zh, en }` and what stands in SQL
 * is marked, as it is not the console's to translate.
 */
export function chineseLiterals(program) {
  const found = []
  visit(program, { isPaired: false, isSql: false })
  return found.sort((a, b) => a.start - b.start)

  function visit(node, about) {
    if (Array.isArray(node)) {
      for (const each of node) visit(each, about)
      return
    }
    if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return
    const { type, start, end } = node
    if (type.startsWith('TS') && !wraps.has(type)) return
    if (type === 'Literal' && typeof node.value === 'string' && han.test(node.value))
      found.push({ key: node.value, start, end, inner: [], ...about })
    if (type === 'JSXText' && han.test(node.value))
      found.push({ key: node.value.trim(), start, end, inner: [], isElement: true, ...about })
    if (type === 'TemplateLiteral' && node.quasis.some(({ value }) => han.test(value.cooked)))
      found.push({
        key: node.quasis
          .map(({ value }, at) => value.cooked + (at < node.expressions.length ? `{${at}}` : ''))
          .join(''),
        start,
        end,
        inner: node.expressions.map((each) => [each.start, each.end]),
        ...about,
      })
    const names = type === 'ObjectExpression' ? node.properties.map(nameOf) : []
    for (const [field, below] of Object.entries(node)) {
      if (field === 'key' && type === 'Property' && !node.computed) continue
      if (field === 'source' || field === 'type') continue
      if (type === 'TaggedTemplateExpression' && field === 'quasi') {
        visit(below, { ...about, isSql: true })
      } else if (
        type === 'ObjectExpression' &&
        field === 'properties' &&
        names.includes('zh') &&
        names.includes('en')
      )
        for (const each of below) visit(each, { ...about, isPaired: nameOf(each) === 'zh' })
      else visit(below, about)
    }
  }
}

const wraps = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
])
const nameOf = (property) => property.key?.name ?? property.key?.value

/** The source with what `english` has for its literals in their place; null where it has nothing. */
export function inEnglish(code, program, english) {
  const literals = chineseLiterals(program).filter(
    ({ key, isPaired }) => !isPaired && Object.hasOwn(english, key),
  )
  if (literals.length === 0) return null
  return between(0, code.length)

  function between(from, until) {
    let text = ''
    let at = from
    for (const literal of literals) {
      if (literal.start < at || literal.end > until) continue
      text += code.slice(at, literal.start) + said(literal)
      at = literal.end
    }
    return text + code.slice(at, until)
  }

  function said({ key, inner, isElement, start }) {
    const words = english[key]
    if (isElement) return words
    if (inner.length === 0 && code[start] !== '`') return JSON.stringify(words)
    const quoted = words.replace(/[`\\]|\$\{/g, '\\$&')
    return `\`${quoted.replace(/\{(\d)\}/g, (_, n) => `\${${between(...inner[n])}}`)}\``
  }
}
