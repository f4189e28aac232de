/** Made by the first start and never changed, disabled or deleted by a call: one SYSTEM user is always left. */
export const firstUserId = 1

/** The role of user 1 and the only one with code SYSTEM. No call assigns or changes it. */
export const systemRoleId = 1
