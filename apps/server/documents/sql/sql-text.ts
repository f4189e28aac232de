// Works out the text of a raw statement from the source, without running it. Values become $1, $2 …; fragments are
// followed to where they are written, through functions, objects and lists. What depends on the caller is shown as the
// first caller has it, an optional part is shown, and a condition that is known at run time only is `true`.
import type {
  BindingPattern,
  CallExpression,
  Expression,
  Node,
  ObjectLiteralExpression,
  ParameterDeclaration,
  SwitchStatement,
  TaggedTemplateExpression,
  VariableDeclaration,
} from 'typescript/unstable/ast'
import * as ast from 'typescript/unstable/ast/is'
import type { Project } from 'typescript/unstable/sync'
import { type FunctionNode, isFunction, isSql, nameText, placeOf, symbolsOf } from './symbols.ts'
import {
  type Bound,
  constant,
  fuller,
  isSame,
  isTrue,
  itemsOf,
  nothing,
  type Unknown,
  unknown,
  type Value,
} from './values.ts'

/** Stands for a value in a text until all are numbered. */
const parameter = '\u0000'
const deepest = 120
const isFragment = /\b(RawBuilder|Expression|ExpressionWrapper|SelectQueryBuilder|AliasedRawBuilder)</
const isCondition = /^(RawBuilder|Expression)<SqlBool>/

/**
 * A reader of the texts of statements in these files of a project: of a template, or of what pg's `query` is given, a
 * text or an object with one. It throws where the text is not known.
 */
export function sqlReader(project: Project, files: readonly string[]): (statement: Node) => string {
  const { declared, shownType, callersOf } = symbolsOf(project, files)
  /**
   * What an expression is in a followed call. Without it, a value that is passed down through several functions is worked
   * out anew at each use of each of them: 138 s for 919 statements instead of a few.
   */
  const values = new WeakMap<Bound, Map<Node, Value>>()
  let depth = 0

  return (statement) => {
    depth = 0
    let count = 0
    const value = evaluate(statement, nothing)
    if (isSql(statement))
      return textOf(value, statement)
        .replaceAll(parameter, () => `$${++count}`)
        .trim()
    const text = value.kind === 'object' ? value.entries.get('text')?.() : value
    if (text?.kind !== 'constant')
      throw new Error((text?.kind === 'unknown' ? text : unclear(statement)).why())
    return String(text.value).trim()
  }

  function evaluate(node: Node, bound: Bound): Value {
    const ofCall = values.get(bound) ?? new Map<Node, Value>()
    values.set(bound, ofCall)
    const known = ofCall.get(node)
    if (known) return known
    const value = evaluatedWithin(node, bound)
    ofCall.set(node, value)
    return value
  }

  function evaluatedWithin(node: Node, bound: Bound): Value {
    if (depth > deepest) return unknown(() => `${placeOf(node)} leads too deep`)
    depth += 1
    try {
      return evaluated(node, bound)
    } finally {
      depth -= 1
    }
  }

  function evaluated(node: Node, bound: Bound): Value {
    const inner = (next: Node) => evaluate(next, bound)
    if (isSql(node)) return template(node, bound)
    if (
      ast.isParenthesizedExpression(node) ||
      ast.isAsExpression(node) ||
      ast.isSatisfiesExpression(node) ||
      ast.isAwaitExpression(node) ||
      ast.isNonNullExpression(node)
    )
      return inner(node.expression)
    if (ast.isStringLiteral(node) || ast.isNoSubstitutionTemplateLiteral(node)) return constant(node.text)
    if (ast.isNumericLiteral(node)) return constant(Number(node.text))
    if (node.getText() === 'true' || node.getText() === 'false') return constant(node.getText() === 'true')
    if (node.getText() === 'null') return constant(null)
    if (node.getText() === 'undefined') return constant(undefined)
    if (ast.isTemplateExpression(node)) {
      const parts = node.templateSpans.map((span) => [inner(span.expression), span.literal.text] as const)
      const text = parts.map(([value, rest]) =>
        value.kind === 'constant' ? `${value.value}${rest}` : undefined,
      )
      return text.includes(undefined) ? unclear(node) : constant(node.head.text + text.join(''))
    }
    if (ast.isPrefixUnaryExpression(node)) {
      const value = inner(node.operand)
      if (value.kind !== 'constant') return unclear(node)
      return node.getText().startsWith('!') ? constant(!value.value) : constant(-Number(value.value))
    }
    if (ast.isBinaryExpression(node))
      return binary(node.operatorToken.getText(), node.left, node.right, bound)
    if (ast.isConditionalExpression(node)) {
      const condition = inner(node.condition)
      if (condition.kind === 'constant') return inner(condition.value ? node.whenTrue : node.whenFalse)
      return fuller(inner(node.whenTrue), inner(node.whenFalse))
    }
    if (isFunction(node)) return { kind: 'function', node, bound }
    if (ast.isArrayLiteralExpression(node))
      return { kind: 'list', items: node.elements.flatMap((one) => listed(one, bound)) }
    if (ast.isObjectLiteralExpression(node)) return object(node, bound)
    if (ast.isCallExpression(node)) return call(node, bound)
    if (ast.isElementAccessExpression(node)) {
      const value = inner(node.expression)
      const key = inner(node.argumentExpression)
      return key.kind === 'constant' ? part(value, String(key.value), node) : first(value, node)
    }
    if (ast.isIdentifier(node)) return named(node, bound)
    if (ast.isPropertyAccessExpression(node)) {
      const value = inner(node.expression)
      return value.kind === 'object' ? part(value, node.name.text, node) : unclear(node)
    }
    return unclear(node)
  }

  function template({ template }: TaggedTemplateExpression, bound: Bound): Value {
    if (ast.isNoSubstitutionTemplateLiteral(template)) return { kind: 'sql', text: template.text }
    if (!ast.isTemplateExpression(template)) return unclear(template)
    try {
      const parts = template.templateSpans.map(
        ({ expression, literal }) => textOf(evaluate(expression, bound), expression) + literal.text,
      )
      return { kind: 'sql', text: template.head.text + parts.join('') }
    } catch (error) {
      return unknown(() => (error as Error).message)
    }
  }

  /** As it stands in a statement. */
  function textOf(value: Value, at: Node): string {
    if (value.kind === 'sql') return value.text
    const shown = shownType(at)
    // Also where the form that is followed has none.
    if (isCondition.test(shown)) return 'true'
    if (value.kind !== 'unknown') return parameter
    if (isFragment.test(shown)) return unknownText(value)
    return parameter
  }

  /** A fragment that is not known: `true` where it is a condition. */
  function unknownText(value: Unknown): string {
    if (value.at && isCondition.test(shownType(value.at))) return 'true'
    throw new Error(value.why())
  }

  function binary(operator: string, left: Node, right: Node, bound: Bound): Value {
    const one = evaluate(left, bound)
    if (operator === '??') {
      if (one.kind === 'constant') return one.value == null ? evaluate(right, bound) : one
      return fuller(one, one.kind === 'unknown' ? evaluate(right, bound) : one)
    }
    if (operator === '&&' || operator === '||') {
      const other = evaluate(right, bound)
      if (one.kind === 'constant') return Boolean(one.value) === (operator === '&&') ? other : one
      return other.kind === 'constant' && Boolean(other.value) === (operator === '||') ? other : unclear(left)
    }
    const other = evaluate(right, bound)
    if (one.kind !== 'constant' || other.kind !== 'constant') return unclear(left)
    if (operator === '===') return constant(one.value === other.value)
    if (operator === '!==') return constant(one.value !== other.value)
    if (operator === '+' && typeof one.value === 'number') return constant(one.value + Number(other.value))
    if (operator === '-') return constant(Number(one.value) - Number(other.value))
    return unclear(left)
  }

  function listed(node: Node, bound: Bound): Value[] {
    if (!ast.isSpreadElement(node)) return [evaluate(node, bound)]
    const value = evaluate(node.expression, bound)
    if (value.kind === 'constant' && typeof value.value === 'string') return [...value.value].map(constant)
    return value.kind === 'list' ? value.items : []
  }

  function object(node: ObjectLiteralExpression, bound: Bound): Value {
    const entries = new Map<string, () => Value>()
    for (const one of node.properties) {
      if (ast.isSpreadAssignment(one)) {
        const value = evaluate(one.expression, bound)
        if (value.kind === 'object') for (const [name, read] of value.entries) entries.set(name, read)
      } else if (ast.isShorthandPropertyAssignment(one)) {
        entries.set(one.name.getText(), () => named(one, bound))
      } else if (ast.isPropertyAssignment(one)) {
        entries.set(nameText(one.name), () => evaluate(one.initializer, bound))
      } else if (ast.isMethodDeclaration(one)) {
        entries.set(nameText(one.name), () => ({ kind: 'function', node: one, bound }))
      }
    }
    return { kind: 'object', entries }
  }

  function named(node: Node, bound: Bound): Value {
    const declaration = declared(node)
    return declaration ? declaredValue(declaration, bound, node) : unclear(node)
  }

  function part(value: Value, key: string, at: Node): Value {
    if (value.kind === 'object') return value.entries.get(key)?.() ?? constant(undefined)
    if (value.kind === 'list') return value.items[Number(key)] ?? constant(undefined)
    return value.kind === 'unknown' ? value : unclear(at)
  }

  /** A list or an object that is read with a key of the run time: its first entry stands for all. */
  function first(value: Value, at: Node): Value {
    if (value.kind === 'list') return value.items[0] ?? unclear(at)
    if (value.kind === 'object') return value.entries.values().next().value?.() ?? unclear(at)
    return unclear(at)
  }

  function declaredValue(declaration: Node, bound: Bound, at: Node): Value {
    const known = bound.get(declaration)
    if (known) return known()
    if (isFunction(declaration)) return { kind: 'function', node: declaration, bound }
    if (ast.isParameterDeclaration(declaration)) return fromCaller(declaration, at)
    if (ast.isBindingElement(declaration)) return bindingElement(declaration, bound, at)
    if (ast.isShorthandPropertyAssignment(declaration)) return named(declaration, bound)
    if (ast.isPropertyAssignment(declaration)) return evaluate(declaration.initializer, bound)
    if (!ast.isVariableDeclaration(declaration)) return unclear(at)
    if (!declaration.initializer) return loopVariable(declaration, bound) ?? unclear(at)
    const value = evaluate(declaration.initializer, bound)
    return value.kind === 'list'
      ? { kind: 'list', items: [...value.items, ...pushed(declaration, bound)] }
      : value
  }

  function bindingElement(node: Node, bound: Bound, at: Node): Value {
    if (!ast.isBindingElement(node)) return unclear(at)
    const pattern = node.parent as BindingPattern
    const owner = pattern.parent
    const whole =
      ast.isVariableDeclaration(owner) && owner.initializer
        ? evaluate(owner.initializer, bound)
        : declaredValue(owner, bound, at)
    return element(whole, pattern, node, bound)
  }

  function element(whole: Value, pattern: BindingPattern, node: Node, bound: Bound): Value {
    if (!ast.isBindingElement(node)) return unclear(node)
    const key = ast.isArrayBindingPattern(pattern)
      ? String((pattern.elements as readonly Node[]).indexOf(node))
      : nameText(node.propertyName ?? (node.name as Node))
    const value = whole.kind === 'list' || whole.kind === 'object' ? part(whole, key, node) : unclear(node)
    const isMissing = value.kind === 'unknown' || (value.kind === 'constant' && value.value === undefined)
    return isMissing && node.initializer ? usual(node.initializer, bound) : value
  }

  /** The variable of a loop over a list that is known: its first item. */
  function loopVariable(declaration: VariableDeclaration, bound: Bound): Value | undefined {
    const loop = declaration.parent.parent
    if (!ast.isForOfStatement(loop)) return undefined
    const list = evaluate(loop.expression, bound)
    return list.kind === 'list' ? list.items[0] : undefined
  }

  /** What is added to a list after its declaration, whatever the condition. */
  function pushed(declaration: VariableDeclaration, bound: Bound): Value[] {
    const items: Value[] = []
    const name = declaration.name.getText()
    const visit = (node: Node) => {
      if (ast.isCallExpression(node) && node.expression.getText() === `${name}.push`) {
        items.push(...node.arguments.flatMap((one) => listed(one, bound)))
      } else node.forEachChild(visit)
    }
    const block = declaration.parent.parent.parent
    if (!ast.isSourceFile(block)) block.forEachChild(visit)
    return items
  }

  /** A parameter that no followed call has bound: as the first call in the sources gives it. */
  function fromCaller(declaration: ParameterDeclaration, at: Node): Value {
    const owner = declaration.parent
    if (!isFunction(owner)) return unclear(at)
    const index = (owner.parameters as readonly Node[]).indexOf(declaration)
    for (const one of callersOf(owner)) {
      const given = one.arguments[index]
      const value = given ? evaluate(given, nothing) : initial(declaration, nothing)
      if (value.kind !== 'unknown') return value
    }
    return initial(declaration, nothing, at)
  }

  function initial({ initializer }: ParameterDeclaration, bound: Bound, at?: Node): Value {
    if (initializer) return usual(initializer, bound)
    return at ? unclear(at) : constant(undefined)
  }

  /** A default. A list that is empty unless the caller gives one is shown as with an item. */
  function usual(initializer: Node, bound: Bound): Value {
    const value = evaluate(initializer, bound)
    return value.kind === 'list' && value.items.length === 0 ? unclear(initializer) : value
  }

  function call(node: CallExpression, bound: Bound): Value {
    const callee = node.expression
    const given = [...node.arguments]
    if (ast.isPropertyAccessExpression(callee)) {
      const owner = callee.expression.getText()
      if (owner === 'sql') return sqlCall(callee.name.text, given, node, bound)
      if (owner === 'Object' || owner === 'Array') return listCall(callee.getText(), given, node, bound)
      const on = evaluate(callee.expression, bound)
      const onList = methodOfList(callee.name.text, on, given, node, bound)
      if (onList) return onList
      if (on.kind === 'sql') return on
    }
    const target = evaluate(callee, bound)
    const made = target.kind === 'function' ? target : declaredFunction(callee, bound)
    if (!made) return unclear(node)
    return apply(
      made,
      given.map((one) => () => evaluate(one, bound)),
      node,
    )
  }

  function declaredFunction(callee: Expression, bound: Bound): (Value & { kind: 'function' }) | undefined {
    const declaration =
      ast.isIdentifier(callee) || ast.isPropertyAccessExpression(callee) ? declared(callee) : undefined
    return declaration && isFunction(declaration) ? { kind: 'function', node: declaration, bound } : undefined
  }

  function apply(
    { node, bound }: { node: FunctionNode; bound: Bound },
    given: (() => Value)[],
    at: Node,
  ): Value {
    const inside = new Map(bound)
    node.parameters.forEach((one, index) => {
      const read = given[index] ?? (() => initial(one, inside))
      if (ast.isObjectBindingPattern(one.name) || ast.isArrayBindingPattern(one.name))
        bind(one.name, read, inside)
      else inside.set(one, read)
    })
    return resultOf(node, inside, at)
  }

  function bind(pattern: BindingPattern, read: () => Value, inside: Map<Node, () => Value>): void {
    for (const one of pattern.elements) {
      if (!ast.isBindingElement(one)) continue
      const value = () => element(read(), pattern, one, inside)
      if (one.name && (ast.isObjectBindingPattern(one.name) || ast.isArrayBindingPattern(one.name)))
        bind(one.name, value, inside)
      else inside.set(one, value)
    }
  }

  /** What a function answers by its last `return`; those before it are for special cases. */
  function resultOf({ body }: FunctionNode, bound: Bound, at: Node): Value {
    if (!body) return unclear(at)
    if (!ast.isBlock(body)) return evaluate(body, bound)
    const returned: Node[] = []
    /** Answers whether what follows is not reached. */
    const collect = (node: Node): boolean => {
      if (ast.isReturnStatement(node)) {
        if (node.expression) returned.push(node.expression)
        return true
      }
      if (ast.isIfStatement(node)) {
        const condition = evaluate(node.expression, bound)
        if (condition.kind !== 'constant') node.forEachChild(collect)
        else if (condition.value) return collect(node.thenStatement)
        else if (node.elseStatement) return collect(node.elseStatement)
        return false
      }
      if (ast.isSwitchStatement(node)) return collectCase(node)
      if (ast.isBlock(node)) return node.statements.some(collect)
      if (!isFunction(node)) node.forEachChild(collect)
      return false
    }
    const collectCase = ({ expression, caseBlock }: SwitchStatement): boolean => {
      const on = evaluate(expression, bound)
      const taken = caseBlock.clauses.find(
        (clause) => clause.expression === undefined || isSame(evaluate(clause.expression, bound), on),
      )
      if (on.kind === 'constant' && taken) return taken.statements.some(collect)
      caseBlock.forEachChild(collect)
      return false
    }
    collect(body)
    let value: Value = unclear(at)
    for (const one of returned.reverse()) {
      value = evaluate(one, bound)
      if (value.kind !== 'unknown') return value
    }
    return value
  }

  function sqlCall(word: string, given: Expression[], at: Node, bound: Bound): Value {
    const [argument, other] = given
    const value: Value = argument ? evaluate(argument, bound) : unclear(at)
    if (word === 'join') {
      if (value.kind !== 'list') return unclear(at)
      const separator = other ? textOf(evaluate(other, bound), other) : ', '
      try {
        return { kind: 'sql', text: value.items.map((one) => itemText(one)).join(separator) }
      } catch (error) {
        return unknown(() => (error as Error).message)
      }
    }
    if (value.kind !== 'constant') return unclear(at)
    const text = String(value.value)
    if (word === 'raw') return { kind: 'sql', text }
    if (word === 'lit') return { kind: 'sql', text: typeof value.value === 'string' ? `'${text}'` : text }
    return {
      kind: 'sql',
      text: text
        .split('.')
        .map((name) => `"${name}"`)
        .join('.'),
    }
  }

  function itemText(value: Value): string {
    if (value.kind === 'unknown') return unknownText(value)
    return value.kind === 'sql' ? value.text : parameter
  }

  function listCall(word: string, given: Expression[], at: Node, bound: Bound): Value {
    const [argument, each] = given
    const value: Value = argument ? evaluate(argument, bound) : unclear(at)
    if (value.kind !== 'object') return unclear(at)
    if (word === 'Array.from') {
      const length = value.entries.get('length')?.()
      const made = each && evaluate(each, bound)
      if (length?.kind !== 'constant' || made?.kind !== 'function') return unclear(at)
      const indexes = Array.from({ length: Number(length.value) }, (_, index) => index)
      return {
        kind: 'list',
        items: indexes.map((index) => apply(made, [() => constant(undefined), () => constant(index)], at)),
      }
    }
    const items = [...value.entries].map(([name, read]): Value => {
      if (word === 'Object.keys') return constant(name)
      return word === 'Object.values' ? read() : { kind: 'list', items: [constant(name), read()] }
    })
    return { kind: 'list', items }
  }

  /** A list whose length is known at run time only has one item here. */
  function methodOfList(
    word: string,
    on: Value,
    given: Expression[],
    at: Node,
    bound: Bound,
  ): Value | undefined {
    const [argument] = given
    if (word === 'map' || word === 'flatMap') {
      const made = argument && evaluate(argument, bound)
      if (made?.kind !== 'function') return undefined
      const items = on.kind === 'list' && on.items.length > 0 ? on.items : [unclear(at)]
      const results = items.map((one, index) => apply(made, [() => one, () => constant(index)], at))
      return { kind: 'list', items: word === 'map' ? results : results.flatMap(itemsOf) }
    }
    if (word === 'includes' && on.kind === 'constant' && argument) {
      const sought = evaluate(argument, bound)
      return sought.kind === 'constant'
        ? constant(String(on.value).includes(String(sought.value)))
        : undefined
    }
    if (on.kind !== 'list') return undefined
    if (word === 'filter' || word === 'some') {
      const made = argument && evaluate(argument, bound)
      if (made?.kind !== 'function') return undefined
      const isIn = on.items.map((one) => apply(made, [() => one], at))
      if (word === 'some')
        return isIn.every((one) => one.kind === 'constant') ? constant(isIn.some(isTrue)) : undefined
      return {
        kind: 'list',
        items: on.items.filter((_, index) => isIn[index]?.kind !== 'constant' || isTrue(isIn[index])),
      }
    }
    if (word === 'flat') return { kind: 'list', items: on.items.flatMap(itemsOf) }
    if (word === 'toSorted' || word === 'slice') return on
    if (word === 'join') {
      const separator = argument ? evaluate(argument, bound) : constant(',')
      const texts = on.items.map((one) => (one.kind === 'constant' ? String(one.value) : undefined))
      if (texts.includes(undefined) || separator.kind !== 'constant') return unclear(at)
      return constant(texts.join(String(separator.value)))
    }
    return undefined
  }

  function unclear(node: Node): Unknown {
    const shown = () => node.getText().replaceAll(/\s+/g, ' ').slice(0, 80)
    return unknown(() => `\`${shown()}\` (${placeOf(node)}) is known at run time only`, node)
  }
}
