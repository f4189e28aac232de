/** Made by the first start: nobody changes, disables or deletes him, so that one SYSTEM user is always left. */
export const firstUserId = 1

/** His role, and the only one with code SYSTEM: nobody is given it, and nothing about it changes. */
export const systemRoleId = 1
