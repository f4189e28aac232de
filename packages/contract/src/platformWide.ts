/**
 * Functions that change rows shared by all organizations: menus, roles, dictionary and levels, regions, types and
 * models of devices, their parts and readings, boards and packages. A user with one of them changes these rows for everybody,
 * whatever the user's data scope.
 */
const functions: ReadonlySet<string> = new Set([
  ...['menu:insert', 'menu:update', 'menu:delete'],
  ...['role:insert', 'role:update', 'role:delete'],
  ...['enum:insert', 'enum:update', 'enum:delete'],
  ...['region:insert', 'region:update', 'region:delete'],
  ...['equipType:insert', 'equipType:update', 'equipType:delete'],
  ...['model:insert', 'model:update', 'model:delete', 'model:part'],
  ...['partType:insert', 'partType:update', 'partType:delete'],
  ...['readingCatalogue:insert', 'readingCatalogue:update', 'readingCatalogue:delete'],
  ...['hwVersion:insert', 'hwVersion:delete'],
  ...['pcb:save', 'pcb:delete'],
  ...['firmware:upload', 'firmware:insert', 'firmware:update', 'firmware:delete'],
  ...['softwareVersion:upload', 'softwareVersion:insert', 'softwareVersion:update', 'softwareVersion:delete'],
  'loglevel:edit',
])

export const isPlatformWide = (functionCode: string): boolean => functions.has(functionCode)

export const platformWideFunctions: readonly string[] = [...functions]
