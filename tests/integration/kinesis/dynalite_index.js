// Preload (node -r) for dynalite, run in the folder that holds node_modules. Two things:
//
//  - UpdateTable creates global secondary indexes, which dynalite leaves out: the KCL adds one to
//    its lease table. The index is not filled with the items that are there already; an item is in
//    it from its next write on, and the KCL writes its leases after it made the index.
//  - A client that dies within a request (tests kill them) must not end the server.
'use strict';
const path = require('path');

const root = path.join(process.cwd(), 'node_modules', 'dynalite');
const actionFile = require.resolve(path.join(root, 'actions', 'updateTable.js'));
const changeThroughput = require(actionFile);

function relaxValidation() {
  const {types} = require(path.join(root, 'validations', 'updateTable.js'));
  const {types: ofCreation} = require(path.join(root, 'validations', 'createTable.js'));
  const update = types.GlobalSecondaryIndexUpdates.children;
  delete update.children.Create.children.ProvisionedThroughput.notNull;
  types.AttributeDefinitions = {...ofCreation.AttributeDefinitions, notNull: false};
}

function describeIndex(table, index) {
  const throughput = index.ProvisionedThroughput || {ReadCapacityUnits: 1, WriteCapacityUnits: 1};
  return {
    IndexName: index.IndexName,
    KeySchema: index.KeySchema,
    Projection: index.Projection,
    ProvisionedThroughput: {...throughput, NumberOfDecreasesToday: 0},
    IndexArn: `${table.TableArn}/index/${index.IndexName}`,
    IndexStatus: 'ACTIVE',
    IndexSizeBytes: 0,
    ItemCount: 0,
  };
}

function addIndexes(table, attributes, indexes) {
  for (const attribute of attributes) {
    const known = table.AttributeDefinitions.some(
        (one) => one.AttributeName === attribute.AttributeName);
    if (!known) table.AttributeDefinitions.push(attribute);
  }
  const described = indexes.map((index) => describeIndex(table, index));
  table.GlobalSecondaryIndexes = [...(table.GlobalSecondaryIndexes || []), ...described];
}

function updateTable(store, request, done) {
  const updates = request.GlobalSecondaryIndexUpdates || [];
  const created = updates.map((update) => update.Create).filter(Boolean);
  if (created.length === 0) return changeThroughput(store, request, done);
  store.tableDb.lock(request.TableName, (release) => {
    const finish = release(done);
    store.getTable(request.TableName, false, (missing, table) => {
      if (missing) return finish(missing);
      addIndexes(table, request.AttributeDefinitions || [], created);
      store.tableDb.put(request.TableName, table,
                        (failed) => finish(failed, {TableDescription: table}));
    });
  });
}

relaxValidation();
require.cache[actionFile].exports = updateTable;

process.on('uncaughtException', (error) => {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return;
  console.error(error);
  process.exit(1);
});
