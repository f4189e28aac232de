// The roles of files: what stands between a file's subject and `.ts` in the features and the domain of the server. The
// roles are those of the table in docs/developing.md, and the kinds of test those of its table of tests.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const document = 'docs/developing.md'
const named = ['apps/server/src/domain', 'apps/server/src/features']
/** More roles than these are no help to a reader. */
const mostRoles = 40

/** The roles and the kinds of test that the page documents. */
export function documentedIn(baseDir) {
  const text = readFileSync(join(baseDir, document), 'utf8')
  const [table = ''] = text.match(/^\| role \|.*\n(?:\|.*\n)+/m) ?? []
  return {
    roles: [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, role]) => role),
    kinds: [...text.matchAll(/`\*\.([a-z]+)\.test\.ts`/g)].map(([, kind]) => kind),
  }
}

/** The files below `baseDir` that have a role, by their paths. */
export const filesIn = (baseDir) =>
  named
    .flatMap((base) => readdirSync(join(baseDir, base), { recursive: true, withFileTypes: true }))
    .filter(({ name }) => name.endsWith('.ts'))
    .map(({ name, parentPath }) => relative(baseDir, join(parentPath, name)).split(sep).join('/'))

/** One line a fault: the file, its role, and where roles are documented. */
export function faultsOf(files, { roles, kinds }) {
  const faults = []
  const used = new Set()
  for (const file of files) {
    const fault = faultOf(file)
    if (fault) faults.push(`${file}: ${fault}`)
  }
  for (const role of roles.filter((name) => !used.has(name)))
    faults.push(`${document}: no file has the role ${role}: take it out of the table of file roles`)
  if (roles.length === 0 || roles.length > mostRoles)
    faults.push(`${document}: ${roles.length} file roles, and there are 1 to ${mostRoles}`)
  return faults

  function faultOf(file) {
    const [subject, ...parts] = file.replace(/^.*\//, '').split('.').slice(0, -1)
    if (parts.at(-1) === 'test') {
      parts.pop()
      if (kinds.includes(parts.at(-1))) parts.pop()
    }
    const [role, more] = parts
    if (more !== undefined)
      return `${role}.${more} is more than one role: make one of them part of the subject, as in ${subject}-${role}.${more}.ts`
    if (role === undefined) return null
    used.add(role)
    if (roles.includes(role)) return null
    return `${role} is no documented role: take one of the table of file roles in ${document}, or none, as in ${subject}-${role}.ts`
  }
}
