/**
 * The permission table: one or more lines per route, one column per caller, one status per cell. The table is written
 * by hand from the requirements, not generated from the declarations of the routes.
 *
 * Rows with #foreign use data outside of the collection of the fixture. The callers, with their levels on this
 * collection:
 * - anon: an anonymous user
 * - flag: a user who must change the password first
 * - guest: a user without grants, whose role has no routes and no abilities
 * - cura: READ; the role has types.write, filters.manage and the routes of types, crosswalks and approvals
 * - view: READ, with the role Viewer
 * - sso: READ, with an account of a sign-in provider
 * - stew: WRITE, with the role Steward
 * - appr: APPROVER, with the role Approver
 * - keep: ADMIN; the role has dataSets.create and the routes of collections and crosswalks
 * - admin: an administrator
 * - k-rd, k-tr, k-wr: API keys with the scope read, translate or write on the collection
 *
 * After the status of a success, + means that the response contains the requested item, or that the request made the
 * requested change; - means the opposite. A # distinguishes several rows of one route.
 */
import { CALLERS, type CallerName } from './callers.ts';

const TABLE = `
                                                           anon  flag  guest cura  view  sso   stew  appr  keep  admin k-rd  k-tr  k-wr

# Sign-in
POST /api/login                                            200   200   200   200   200   200   200   200   200   200   200   200   200
POST /api/register                                         201   201   201   201   201   201   201   201   201   201   201   201   201
POST /api/logout                                           401   200   200   200   200   200   200   200   200   200   403   403   403
POST /api/session/heartbeat                                401   403   204   204   204   204   204   204   204   204   403   403   403
POST /api/change-password                                  401   200   200   200   200   400   200   200   200   200   403   403   403
POST /api/reset-password/request                           200   200   200   200   200   200   200   200   200   200   200   200   200
POST /api/reset-password                                   400   400   400   400   400   400   400   400   400   400   400   400   400
POST /api/okta-login                                       401   401   401   401   401   401   401   401   401   401   401   401   401
GET /api/auth/config                                       200   200   200   200   200   200   200   200   200   200   200   200   200
GET /api/user                                              401   200   200   200   200   200   200   200   200   200   403   403   403

# Users, roles, groups, keys: administrators. Names and directory of users: all users
GET /api/users                                             401   403   403   403   403   403   403   403   403   200+  403   403   403
GET /api/users/:id                                         401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/users/:id/erasure-report                          401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/users/names                                       401   403   200   200   200   200   200   200   200   200   403   403   403
GET /api/users/directory                                   401   403   200   200   200   200   200   200   200   200   403   403   403
POST /api/users                                            401   403   403   403   403   403   403   403   403   201   403   403   403
PATCH /api/users/:id                                       401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/users/:id/deactivate                             401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/users/:id/reactivate                             401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/users/:id/unlock                                 401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/users/:id/require-password-change                401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/users/:id/end-sessions                           401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/users/:id/release-email                          401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/users/:id/erase                                  401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/roles                                             401   403   403   403   403   403   403   403   403   200+  403   403   403
POST /api/roles                                            401   403   403   403   403   403   403   403   403   201   403   403   403
PATCH /api/roles/:id                                       401   403   403   403   403   403   403   403   403   200   403   403   403
DELETE /api/roles/:id                                      401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/groups                                            401   403   403   403   403   403   403   403   403   200+  403   403   403
GET /api/groups/:id/members                                401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/groups                                           401   403   403   403   403   403   403   403   403   201   403   403   403
PATCH /api/groups/:id                                      401   403   403   403   403   403   403   403   403   200   403   403   403
DELETE /api/groups/:id                                     401   403   403   403   403   403   403   403   403   200   403   403   403
PUT /api/groups/:id/members                                401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/api-keys                                          401   403   403   403   403   403   403   403   403   200+  403   403   403
GET /api/api-keys/:id/usage                                401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/api-keys                                         401   403   403   403   403   403   403   403   403   201   403   403   403
POST /api/api-keys/:id/rotate                              401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/api-keys/:id/revoke                              401   403   403   403   403   403   403   403   403   200   403   403   403

# Backups: administrators
GET /api/backups                                           401   403   403   403   403   403   403   403   403   200+  403   403   403
GET /api/backups/schedule                                  401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/backups/:id                                       401   403   403   403   403   403   403   403   403   409   403   403   403
POST /api/backups                                          401   403   403   403   403   403   403   403   403   202   403   403   403
PUT /api/backups/schedule                                  401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/backups/upload                                   401   403   403   403   403   403   403   403   403   422   403   403   403
POST /api/backups/:id/verify                               401   403   403   403   403   403   403   403   403   202   403   403   403
PATCH /api/backups/:id                                     401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/backups/:id/download                             401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/backups/:id/restore-preview                       401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/backups/:id/restore                              401   403   403   403   403   403   403   403   403   422   403   403   403
DELETE /api/backups/:id                                    401   403   403   403   403   403   403   403   403   204   403   403   403

# Purges: administrators. Legal holds: also users with ADMIN on the data set
GET /api/purges                                            401   403   403   403   403   403   403   403   403   200+  403   403   403
GET /api/purges/:id                                        401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/purges                                           401   403   403   403   403   403   403   403   403   202   403   403   403
POST /api/purges/:id/request                               401   403   403   403   403   403   403   403   403   409   403   403   403
POST /api/purges/:id/confirm                               401   403   403   403   403   403   403   403   403   404   403   403   403
POST /api/purges/:id/decline                               401   403   403   403   403   403   403   403   403   404   403   403   403
POST /api/purges/:id/cancel                                401   403   403   403   403   403   403   403   403   200   403   403   403
POST /api/purges/:id/resume                                401   403   403   403   403   403   403   403   403   404   403   403   403
POST /api/purges/:id/reclaim                               401   403   403   403   403   403   403   403   403   404   403   403   403
GET /api/legal-holds                                       401   403   200-  200-  200-  200-  200-  200-  200+  200+  200-  200-  200-
POST /api/legal-holds                                      401   403   404   403   403   403   403   403   201   201   403   404   403
POST /api/legal-holds/:id/release                          401   403   404   403   403   403   403   403   200   200   403   404   403

# Reference types: reads require the route, writes the ability
GET /api/reference-types                                   401   403   403   200+  200+  200+  200+  200+  403   200+  200+  403   200+
GET /api/reference-types/:id                               401   403   403   200   200   200   200   200   403   200   200   403   200
GET /api/reference-types/:id/schemas                       401   403   403   200   200   200   200   200   403   200   200   403   200
GET /api/reference-types/:id/events                        401   403   403   200+  200+  200+  200+  200+  403   200+  200+  403   200+
GET /api/reference-types/:id/dependencies                  401   403   403   200+  200+  200+  200+  200+  403   200+  200+  403   200+
POST /api/reference-types/:id/schema-preview               401   403   403   200+  200+  200+  200+  200+  403   200+  200+  403   200+
POST /api/reference-types                                  401   403   403   201   403   403   201   403   403   201   403   403   403
PATCH /api/reference-types/:id                             401   403   403   200   403   403   200   403   403   200   403   403   403
PUT /api/reference-types/:id/schemas                       401   403   403   200   403   403   200   403   403   200   403   403   403
DELETE /api/reference-types/:id                            401   403   403   200   403   403   200   403   403   200   403   403   403

# Data sets and their instances
GET /api/reference-data                                    401   403   403   403   200+  200+  200+  200+  200+  200+  200+  403   200+
GET /api/reference-data/:id                                401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/reference-data/:id#foreign                        401   403   404   404   404   404   404   404   404   200   404   404   404
GET /api/reference-data/:id/graph                          401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/reference-data/:id/integrity                      401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/integrity                                         401   403   403   403   200+  200+  200+  200+  200+  200+  200+  403   200+
GET /api/reference-data/:id/dependencies                   401   403   404   200+  200+  200+  200+  200+  200+  200+  200+  404   200+
POST /api/reference-data/:id/schema-preview                401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/reference-data/:id/export                         401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/reference-data/:id/instances                      401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/reference-data/:id/instances/:instanceId          401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/reference-data/:id/instances/:instanceId/history  401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/reference-data/:id/instances/:instanceId/references 401 403  404   200+  200+  200+  200+  200+  200+  200+  200+  404   200+
POST /api/reference-data                                   401   403   403   403   403   403   201   403   201   201   403   403   403
POST /api/reference-data#into                              401   403   403   403   403   403   403   403   201   201   403   403   403
PATCH /api/reference-data/:id                              401   403   404   403   403   403   403   403   200   200   403   404   403
DELETE /api/reference-data/:id                             401   403   404   403   403   403   403   403   200   200   403   404   403
POST /api/reference-data/:id/instances                     401   403   404   403   403   403   201   201   201   201   403   404   201
PATCH /api/reference-data/:id/instances                    401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
DELETE /api/reference-data/:id/instances                   401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/reference-data/:id/instances/restore             401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/reference-data/:id/instances/deletion-impact     401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/reference-data/:id/instances/paste-preview       401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+

# The graph, and the documents of the API
GET /api/graph                                             200   200   200   200   200   200   200   200   200   200   200   200   200
GET /api/openapi.json                                      200   200   200   200   200   200   200   200   200   200   200   200   200
GET /api/asyncapi.json                                     200   200   200   200   200   200   200   200   200   200   200   200   200
GET /api/graph/info                                        401   403   403   403   403   403   200   200   403   200   403   403   403
POST /api/graph/rebuild                                    401   403   403   403   403   403   403   403   403   202   403   403   403

# Relationships
GET /api/relationships                                     401   403   403   403   200+  200+  200+  200+  403   200+  200+  403   200+
GET /api/relationships/:id                                 401   403   404   200   200   200   200   200   200   200   200   404   200
POST /api/relationships                                    401   403   404   403   403   403   201   201   201   201   403   404   201
POST /api/relationships#foreign                            401   403   404   403   403   403   404   404   404   201   403   404   404
DELETE /api/relationships/:id                              401   403   404   403   403   403   403   403   200   200   403   404   403
GET /api/relationships/:id/attributes                      401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/relationships/:id/history                         401   403   404   200   200   200   200   200   200   200   200   404   200
PATCH /api/relationships/:id                               401   403   404   403   403   403   403   403   200   200   403   404   403
POST /api/relationships/:id/recall                         401   403   404   403   403   403   409   409   200   200   403   404   409
POST /api/relationships/:id/approve                        401   403   404   403   403   403   403   200   200   200   403   404   403
POST /api/relationships/:id/reject                         401   403   404   403   403   403   403   200   200   200   403   404   403
POST /api/relationships/:id/restore                        401   403   404   403   403   403   403   403   200   200   403   404   403
DELETE /api/relationships                                  401   403   200-  200-  200-  200-  200-  200-  200+  200+  200-  200-  200-
POST /api/relationships/recall                             401   403   200-  200-  200-  200-  200-  200-  200+  200+  200-  200-  200-
POST /api/relationships/recall#level                       401   403   200-  200-  200-  200-  200+  200+  200+  200+  200-  200-  200+
POST /api/relationships/approve                            401   403   200-  200-  200-  200-  200-  200+  200+  200+  200-  200-  200-
POST /api/relationships/reject                             401   403   200-  200-  200-  200-  200-  200+  200+  200+  200-  200-  200-
POST /api/relationships/restore                            401   403   200-  200-  200-  200-  200-  200-  200+  200+  200-  200-  200-
POST /api/relationships/:id/attributes                     401   403   404   403   403   403   403   403   201   201   403   404   403
POST /api/relationships/:id/copy                           401   403   404   403   403   403   201   201   201   201   403   404   201
PATCH /api/relationships/:id/attributes                    401   403   404   403   403   403   403   403   200   200   403   404   403
DELETE /api/relationships/:id/attributes                   401   403   404   403   403   403   403   403   200   200   403   404   403

# Relationship values
GET /api/relationships/values                              401   403   403   403   200+  200+  200+  200+  403   200+  200+  403   200+
GET /api/relationships/values/counts                       401   403   403   403   200+  200+  200+  200+  403   200+  200+  403   200+
GET /api/relationships/:id/export                          401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/relationships/:id/values                          401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/relationships/:id/values/counts                   401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/relationships/:id/values/:valueId/history         401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/reference-data/:id/instances/:instanceId/relationships 401   403   404   200   200   200   200   200   200   200   200   404   200
POST /api/relationships/:id/values                         401   403   404   403   403   403   201   201   201   201   403   404   201
POST /api/relationships/:id/values/import-preview          401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/relationships/:id/values/import                  401   403   404   403   403   403   202   202   202   202   403   404   202
PATCH /api/relationships/:id/values                        401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
DELETE /api/relationships/:id/values                       401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/relationships/:id/values/submit                  401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/relationships/:id/values/recall                  401   403   404   403   403   403   200-  200-  200+  200+  403   404   200-
POST /api/relationships/:id/values/approve                 401   403   404   403   403   403   403   200+  200+  200+  403   404   403
POST /api/relationships/:id/values/approve#own             401   403   404   403   403   403   403   200-  200-  200-  403   404   403
POST /api/relationships/:id/values/reject                  401   403   404   403   403   403   403   200+  200+  200+  403   404   403
POST /api/relationships/:id/values/revoke                  401   403   404   403   403   403   403   200+  200+  200+  403   404   403
POST /api/relationships/:id/values/discard                 401   403   404   403   403   403   200-  200-  200+  200+  403   404   200-
POST /api/relationships/:id/values/restore                 401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+

# Crosswalks
GET /api/crosswalks                                        401   403   403   200+  200+  200+  200+  200+  200+  200+  200+  403   200+
GET /api/crosswalks/:id                                    401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalks/:id/statistics                         401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalks/:id/history                            401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalks/:id/suggestions                        401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalks/:id/export                             401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalks/suggestions-preview                    401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalk/comparison/:targetDatasetId             401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalk/comparison/:targetDatasetId/export      401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalks/:id/translate                          401   403   404   200   200   200   200   200   200   200   200   200   200
POST /api/crosswalks/:id/translate                         401   403   404   200   200   200   200   200   200   200   200   200   200
POST /api/crosswalks                                       401   403   404   403   403   403   201   201   201   201   403   404   201
POST /api/crosswalks#foreign                               401   403   404   403   403   403   404   404   404   201   403   404   404
POST /api/crosswalks/:id/duplicate                         401   403   404   403   403   403   201   201   201   201   403   404   201
POST /api/crosswalks/:id/reverse                           401   403   404   403   403   403   201   201   201   201   403   404   201
PATCH /api/crosswalks/:id                                  401   403   404   403   403   403   403   403   200   200   403   404   403
DELETE /api/crosswalks/:id                                 401   403   404   403   403   403   403   403   200   200   403   404   403
POST /api/crosswalks/:id/submit                            401   403   404   403   403   403   200   200   200   200   403   404   200
POST /api/crosswalks/:id/recall                            401   403   404   403   403   403   409   409   200   200   403   404   409
POST /api/crosswalks/:id/approve                           401   403   404   403   403   403   403   200   200   200   403   404   403
POST /api/crosswalks/:id/reject                            401   403   404   403   403   403   403   200   200   200   403   404   403
POST /api/crosswalks/:id/revoke                            401   403   404   403   403   403   403   200   200   200   403   404   403
POST /api/crosswalks/:id/discard                           401   403   404   403   403   403   409   409   200   200   403   404   409
POST /api/crosswalks/:id/restore                           401   403   404   403   403   403   403   403   200   200   403   404   403
DELETE /api/crosswalks                                     401   403   200-  200-  200-  200-  200-  200-  200+  200+  200-  200-  200-
POST /api/crosswalks/submit                                401   403   200-  200-  200-  200-  200+  200+  200+  200+  200-  200-  200+
POST /api/crosswalks/recall                                401   403   200-  200-  200-  200-  200-  200-  200+  200+  200-  200-  200-
POST /api/crosswalks/recall#level                          401   403   200-  200-  200-  200-  200+  200+  200+  200+  200-  200-  200+
POST /api/crosswalks/approve                               401   403   200-  200-  200-  200-  200-  200+  200+  200+  200-  200-  200-
POST /api/crosswalks/approve#own                           401   403   200-  200-  200-  200-  200-  200-  200-  200-  200-  200-  200-
POST /api/crosswalks/reject                                401   403   200-  200-  200-  200-  200-  200+  200+  200+  200-  200-  200-
POST /api/crosswalks/revoke                                401   403   200-  200-  200-  200-  200-  200+  200+  200+  200-  200-  200-
POST /api/crosswalks/discard                               401   403   200-  200-  200-  200-  200-  200-  200+  200+  200-  200-  200-
POST /api/crosswalks/discard#level                         401   403   200-  200-  200-  200-  200+  200+  200+  200+  200-  200-  200+
POST /api/crosswalks/restore                               401   403   200-  200-  200-  200-  200-  200-  200+  200+  200-  200-  200-

# Mappings
GET /api/crosswalks/:id/mappings                           401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalks/:id/mappings/counts                    401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/crosswalks/:id/mappings/:valueId/history          401   403   404   200   200   200   200   200   200   200   200   404   200
POST /api/crosswalks/:id/mappings/import-preview           401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/crosswalks/:id/mappings/import                   401   403   404   403   403   403   202   202   202   202   403   404   202
POST /api/crosswalks/:id/mappings                          401   403   404   403   403   403   201   201   201   201   403   404   201
PATCH /api/crosswalks/:id/mappings                         401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
DELETE /api/crosswalks/:id/mappings                        401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/crosswalks/:id/suggestions/dismiss               401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/crosswalks/:id/suggestions/restore               401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/crosswalks/:id/mappings/submit                   401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
POST /api/crosswalks/:id/mappings/recall                   401   403   404   403   403   403   200-  200-  200+  200+  403   404   200-
POST /api/crosswalks/:id/mappings/approve                  401   403   404   403   403   403   403   200+  200+  200+  403   404   403
POST /api/crosswalks/:id/mappings/approve#own              401   403   404   403   403   403   403   200-  200-  200-  403   404   403
POST /api/crosswalks/:id/mappings/reject                   401   403   404   403   403   403   403   200+  200+  200+  403   404   403
POST /api/crosswalks/:id/mappings/revoke                   401   403   404   403   403   403   403   200+  200+  200+  403   404   403
POST /api/crosswalks/:id/mappings/discard                  401   403   404   403   403   403   200-  200-  200+  200+  403   404   200-
POST /api/crosswalks/:id/mappings/restore                  401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+

# Approvals and missing mappings
POST /api/approvals/decide                                 401   403   200-  200-  200-  200-  200-  200+  200+  200+  200-  200-  200-
GET /api/batches/:commandId                                401   403   404   200   200   200   200   200   200   200   200   404   200
POST /api/batches/:commandId/undo                          401   403   404   403   403   403   200-  200-  200+  200+  403   404   200-
POST /api/batches/:commandId/undo#own                      401   403   404   403   403   403   200+  200+  200+  200+  403   404   200+
GET /api/approvals                                         401   403   403   200-  403   403   200-  200+  403   200+  403   403   403
GET /api/approvals#decided                                 401   403   403   200+  403   403   200+  200+  403   200+  403   403   403
POST /api/approvals/impact                                 401   403   403   200-  403   403   200-  200+  403   200+  403   403   403
POST /api/approvals/impact#reading                         401   403   403   200-  403   403   200-  200+  403   200+  403   403   403
GET /api/approvals/approvers                               401   403   404   200   200   200   200   200   200   200   403   403   403
GET /api/approvals/statistics                              401   403   403   200+  403   403   200+  200+  403   200+  403   403   403
GET /api/missing-mappings                                  401   403   403   200+  200+  200+  200+  200+  200+  200+  200+  403   200+
POST /api/missing-mappings                                 401   403   404   201   201   201   201   201   201   201   201   404   201
POST /api/missing-mappings/ignore                          401   403   200-  200-  200-  200-  200+  200+  200+  200+  200-  200-  200+
POST /api/missing-mappings/reopen                          401   403   200-  200-  200-  200-  200+  200+  200+  200+  200-  200-  200+
POST /api/missing-mappings/:id/ignore                      401   403   404   403   403   403   200   200   200   200   403   404   200
POST /api/missing-mappings/:id/reopen                      401   403   404   403   403   403   200   200   200   200   403   404   200
POST /api/missing-mappings/:id/map                         401   403   404   403   403   403   201   201   201   201   403   404   201
POST /api/selections                                       401   403   404   201   201   201   201   201   201   201   201   404   201

# Saved filters, also shared by other users. Filter configurations: writes require the ability
GET /api/saved-filters                                     401   403   200-  200+  200+  200+  200+  200+  200+  200+  403   403   403
POST /api/saved-filters                                    401   403   404   201   201   201   201   201   201   201   403   403   403
POST /api/saved-filters#audit                              401   403   403   403   403   403   403   403   403   201   403   403   403
PATCH /api/saved-filters/:id                               401   403   404   200   200   200   200   200   200   200   403   403   403
PATCH /api/saved-filters/:id#shared                        401   403   404   403   403   403   403   403   403   403   403   403   403
DELETE /api/saved-filters/:id                              401   403   404   200   200   200   200   200   200   200   403   403   403
DELETE /api/saved-filters/:id#shared                       401   403   404   403   403   403   403   403   403   200   403   403   403
GET /api/filter-configurations                             401   403   200-  200+  200+  200+  200+  200+  200+  200+  200+  200-  200+
POST /api/filter-configurations                            401   403   403   201   403   403   403   403   403   201   403   403   403
PATCH /api/filter-configurations/:id                       401   403   403   200   403   403   403   403   403   200   403   403   403
PATCH /api/filter-configurations/:id#foreign               401   403   403   404   403   403   403   403   403   200   403   403   403
DELETE /api/filter-configurations/:id                      401   403   403   200   403   403   403   403   403   200   403   403   403
POST /api/filter-test                                      401   403   403   403   403   403   403   403   403   200   403   403   403

# Collections
GET /api/collections                                       401   403   403   403   200+  200+  200+  200+  200+  200+  200+  403   200+
GET /api/collections/:id                                   401   403   404   403   403   403   403   403   200   200   403   404   403
GET /api/collections/:id/items                             401   403   404   403   403   403   403   403   200+  200+  403   404   403
GET /api/collections/:id/permissions                       401   403   404   403   403   403   403   403   200   200   403   404   403
GET /api/collections/:id/effective-access                  401   403   404   403   403   403   403   403   200   200   403   404   403
GET /api/collections/:id/activity                          401   403   404   403   403   403   403   403   200   200   403   404   403
POST /api/collections                                      401   403   403   403   403   403   201   403   403   201   403   403   403
PATCH /api/collections/:id                                 401   403   404   403   403   403   403   403   200   200   403   404   403
DELETE /api/collections/:id                                401   403   404   403   403   403   403   403   200   200   404   404   404
POST /api/collections/:id/items                            401   403   404   403   403   403   403   403   200   200   403   404   403
POST /api/collections/:id/items#foreign                    401   403   404   403   403   403   403   403   404   200   403   404   403
DELETE /api/collections/:id/items                          401   403   404   403   403   403   403   403   200   200   403   404   403
PUT /api/collections/:id/permissions                       401   403   404   403   403   403   403   403   200   200   403   404   403

# Imports and jobs
POST /api/imports                                          401   403   404   403   403   403   201   201   201   201   403   404   201
GET /api/imports/:id                                       401   403   200   200   200   200   200   200   200   200   200   200   200
POST /api/imports#mappings                                 401   403   404   403   403   403   201   201   201   201   403   404   201
POST /api/imports/:id/start                                401   403   404   403   403   403   202   202   202   202   403   404   202
POST /api/imports#draft                                    401   403   403   403   403   403   201   201   201   201   403   403   201
POST /api/imports#start                                    401   403   404   403   403   403   202   202   202   202   403   404   202
GET /api/imports                                           401   403   200   200   200   200   200   200   200   200   200   200   200
GET /api/imports/:id/targets                               401   403   200   200   200   200   200   200   200   200   200   200   200
GET /api/imports/:id/problems                              401   403   200   200   200   200   200   200   200   200   200   200   200
GET /api/imports/:id/problems/:group                       401   403   200   200   200   200   200   200   200   200   200   200   200
PATCH /api/imports/:id                                     401   403   200   200   200   200   200   200   200   200   200   200   200
PATCH /api/imports/:id#target                              401   403   404   403   403   403   200   200   200   200   403   404   200
DELETE /api/imports/:id                                    401   403   204   204   204   204   204   204   204   204   204   204   204
POST /api/imports/:id/validate                             401   403   202   202   202   202   202   202   202   202   202   202   202
POST /api/imports/:id/validate#target                      401   403   404   403   403   403   202   202   202   202   403   404   202
POST /api/imports/:id/start#draft                          401   403   403   403   403   403   202   403   403   202   403   403   403
POST /api/validation-test                                  401   403   403   403   403   403   200+  200+  403   200+  403   403   403
POST /api/validation-test#foreign                          401   403   403   403   403   403   404   404   403   200+  403   403   403
POST /api/validation-test#type                             401   403   403   403   403   403   200+  200+  403   200+  403   403   403
GET /api/imports/:id/errors                                401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/jobs                                              401   403   200-  200+  200+  200+  200+  200+  200+  200+  200+  200-  200+
GET /api/jobs/:jobId                                       401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/jobs/:jobId/logs                                  401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/jobs/:jobId/events                                401   403   404   200   200   200   200   200   200   200   200   404   200
GET /api/jobs/:jobId/errors                                401   403   404   200   200   200   200   200   200   200   200   404   200
POST /api/jobs/:id/cancel                                  401   403   404   403   403   403   409   409   409   409   403   404   409
POST /api/jobs/:id/retry                                   401   403   404   403   403   403   409   409   409   409   403   404   409
GET /api/jobs/:id/undo                                     401   403   404   403   403   403   200   200   200   200   403   404   200
POST /api/jobs/:id/undo                                    401   403   404   403   403   403   202   202   202   202   403   404   202

# Home and notifications of the user; API keys have none
GET /api/home                                              401   403   200   200   200   200   200   200   200   200   403   403   403
GET /api/home/changes                                      401   403   200   200   200   200   200   200   200   200   403   403   403
PATCH /api/home                                            401   403   204   204   204   204   204   204   204   204   403   403   403
GET /api/notifications                                     401   403   200   200   200   200   200   200   200   200   403   403   403
POST /api/notifications                                    401   403   204   204   204   204   204   204   204   204   403   403   403
DELETE /api/notifications                                  401   403   204   204   204   204   204   204   204   204   403   403   403

# The installation
GET /api/audit-logs                                        401   403   403   403   403   403   403   403   403   200+  403   403   403
GET /api/audit-logs/activities                             401   403   403   403   403   403   403   403   403   200+  403   403   403
GET /api/audit-logs/activities/:id/rows                    401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/audit-logs/activities/export                      401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/audit-logs/replay                                 401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/audit-logs/keys                                   401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/audit-logs/head                                   401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/audit-logs/signed-head                            401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/audit-logs/verify                                 401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/audit-logs/export                                 401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/login-attempts                                    401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/mail-outbox                                       401   403   403   403   403   403   403   403   403   200   403   403   403
GET /api/changes                                           401   403   200-  200+  200+  200+  200+  200+  200+  200+  200+  403   200+
GET /api/changes/stream                                    401   403   200   200   200   200   200   200   200   200   200   403   200
GET /api/monitor                                           401   403   200-  200+  200+  200+  200+  200+  200+  200+  200+  200-  200+
GET /api/monitor/projections                               401   403   200   200   200   200   200   200   200   200   200   200   200
GET /api/diagnostics                                       401   403   200   200   200   200   200   200   200   200   403   403   403
GET /api/diagnostics/errors                                401   403   200   200   200   200   200   200   200   200   403   403   403
GET /api/moment                                            401   403   200   200   200   200   200   200   200   200   403   403   403
GET /api/site-paths                                        401   403   200   200   200   200   200   200   200   200   403   403   403
GET /api/site-paths#of-others                              401   403   403   403   403   403   403   403   403   200   403   403   403

# Search: names, codes and labels in readable data sets; users only for administrators
GET /api/search                                            401   403   200-  200+  200+  200+  200+  200+  200+  200+  200+  200-  200+
GET /api/search#crosswalk                                  401   403   200-  200+  200+  200+  200+  200+  200+  200+  200+  200-  200+
GET /api/search#people                                     401   403   200-  200-  200-  200-  200-  200-  200-  200+  200-  200-  200-

# Routes between the services, which the public address does not serve
POST /internal/missing-mapping-requests                    404   404   404   404   404   404   404   404   404   404   404   404   404
POST /internal/audit-logs/head-signature                   404   404   404   404   404   404   404   404   404   404   404   404   404
POST /internal/backups/outcomes                            404   404   404   404   404   404   404   404   404   404   404   404   404
POST /internal/backups                                     404   404   404   404   404   404   404   404   404   404   404   404   404
POST /internal/backups/overdue                             404   404   404   404   404   404   404   404   404   404   404   404   404
POST /internal/backups/:id/verify                          404   404   404   404   404   404   404   404   404   404   404   404   404
POST /internal/backups/expire                              404   404   404   404   404   404   404   404   404   404   404   404   404
POST /internal/purges/outcomes                             404   404   404   404   404   404   404   404   404   404   404   404   404
POST /internal/purges/registrations                        404   404   404   404   404   404   404   404   404   404   404   404   404
POST /internal/bootstrap/finish                            404   404   404   404   404   404   404   404   404   404   404   404   404
`;

/** The expected response to one caller. `shows` is true for +, false for -, and undefined without a sign. */
export interface Expected {
  status: number;
  shows: boolean | undefined;
}

export interface TableRow {
  /** The method and the path, such as `GET /api/collections/:id`. */
  route: string;
  /** The route; further rows of the route also have a # and a text. */
  name: string;
  cells: Readonly<Record<CallerName, Expected>>;
}

function rowOf(line: string): TableRow {
  const [, name, cells] = /^(\S+ \S+) +(.+)$/.exec(line) ?? [];
  const codes = cells?.trim().split(/ +/) ?? [];
  if (!name || codes.length !== CALLERS.length)
    throw new Error(`A row of the table needs a cell for every caller: ${line}`);
  const expected = codes.map((code): Expected => {
    const [, status, sign] = /^(\d{3})([+-])?$/.exec(code) ?? [];
    if (!status) throw new Error(`“${code}” is not a cell: ${line}`);
    return { status: Number(status), shows: sign === undefined ? undefined : sign === '+' };
  });
  return {
    name,
    route: name.split('#')[0] ?? name,
    cells: Object.fromEntries(CALLERS.map((caller, index) => [caller, expected[index]])) as TableRow['cells'],
  };
}

export const ROWS: readonly TableRow[] = TABLE.split('\n')
  .filter((line) => /^[A-Z]+ \//.test(line))
  .map(rowOf);
