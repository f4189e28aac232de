/** Pages that administrators open now and then, by their component keys. */
export const seldomPages = {
  'equipment/mapping': () => import('../features/mappings/MappingPage.tsx'),
  'equipment/ocppCode': () => import('../features/ocppCodes/OcppCodePage.tsx'),
  'equipment/hwVersion': () => import('../features/hwVersions/HwVersionPage.tsx'),
  'upgrade/board': () => import('../features/boards/BoardPage.tsx'),
  'system/dictionary': () => import('../features/dictionary/DictionaryPage.tsx'),
  'system/user': () => import('../features/users/UserPage.tsx'),
  'system/session': () => import('../features/session/SessionPage.tsx'),
  'system/apiKey': () => import('../features/users/keys/ApiKeyPage.tsx'),
  'system/signIn': () => import('../features/session/providers/ProviderPage.tsx'),
  'system/menu': () => import('../features/menus/MenuPage.tsx'),
  'system/role': () => import('../features/roles/RolePage.tsx'),
  'system/operation': () => import('../features/operations/OperationPage.tsx'),
  'system/server': () => import('../features/serverStatus/ServerPage.tsx'),
  'reference/equipType': () => import('../features/equipTypes/EquipTypePage.tsx'),
  'reference/readingCatalogue': () => import('../features/readingCatalogue/ReadingCataloguePage.tsx'),
  'reference/organization': () => import('../features/organizations/OrganizationPage.tsx'),
  'reference/operator': () => import('../features/operators/OperatorPage.tsx'),
  'reference/region': () => import('../features/regions/RegionPage.tsx'),
}

export type SeldomPage = keyof typeof seldomPages
