# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
# pyright: reportMissingImports=false
"""PyTorch Geometric and Lux: columns of a graph neural network's input that Lux computes of the graph.

Vertices without attributes look alike to such a network. Distances from some vertices, the anchors, tell where in the
graph a vertex lies (You, Ying and Leskovec, "Position-aware graph neural networks", 2019), and ranks how central it is.

``python examples/with_pytorch_geometric.py`` finds the villages of people who know a few of their neighbours, of whom
one in fifty has told (``pip install torch torch_geometric``).
"""

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv

import lux

PEOPLE, VILLAGES, ANCHORS = 4000, 8, 50


def friends(seed=1):
    """Return a graph of PyTorch Geometric: all name six friends, most of them in their village."""
    random = np.random.default_rng(seed)
    person = np.repeat(np.arange(PEOPLE), 6)
    size = PEOPLE // VILLAGES
    anywhere, at_home = random.integers(PEOPLE, size=len(person)), random.random(len(person)) < 0.75
    friend = np.where(at_home, person // size * size + anywhere % size, anywhere)
    edges = torch.from_numpy(np.stack([np.append(person, friend), np.append(friend, person)]))
    told = torch.from_numpy(random.random(PEOPLE) < 0.02)
    return Data(edge_index=edges, y=torch.arange(PEOPLE) // size, told=told, num_nodes=PEOPLE)


def to_lux(data):
    """Return the same graph in Lux, which takes tensors of the CPU and of GPUs; repeats of an edge stay."""
    return lux.from_edges(data.edge_index[0], data.edge_index[1], n_vertices=data.num_nodes)


def to_data(graph):
    """Return the edges of a graph of Lux as those of PyTorch Geometric."""
    return Data(edge_index=torch.from_numpy(np.stack(graph.dense_edge_arrays())), num_nodes=len(graph))


def positions(graph, anchors):
    """Return float32 columns of shape (vertices, anchors + 1): nearness to each anchor, and the rank."""
    distances = [torch.from_dlpack(lux.bfs(graph, anchor).distances) for anchor in anchors]
    near = [torch.where(each < 0, 0.0, 1 / (1 + each)) for each in distances]
    ranks = torch.from_dlpack(lux.pagerank(graph).ranks)
    return torch.stack([*near, len(graph) * ranks], dim=1).float()


class Network(torch.nn.Module):
    """Two layers of GraphSAGE."""

    def __init__(self, columns, classes):
        super().__init__()
        self.first, self.second = SAGEConv(columns, 64), SAGEConv(64, classes)

    def forward(self, data):
        """Return the scores of all classes for each vertex."""
        return self.second(self.first(data.x, data.edge_index).relu(), data.edge_index)


def accuracy(data, epochs=100):
    """Train on those who told, and return the share of the others whose class is found."""
    torch.manual_seed(1)
    network = Network(data.x.shape[1], int(data.y.max()) + 1)
    steps = torch.optim.Adam(network.parameters(), lr=0.01, weight_decay=5e-3)
    for _ in range(epochs):
        steps.zero_grad()
        torch.nn.functional.cross_entropy(network(data)[data.told], data.y[data.told]).backward()
        steps.step()
    right = network(data).argmax(dim=1) == data.y
    return float(right[~data.told].float().mean())


def main():
    """Print how many villages are found from degrees alone, and with what Lux adds."""
    data = friends()
    graph = to_lux(data)
    data.x = torch.from_dlpack(graph.out_degrees()).float()[:, None]
    print(f"from degrees alone: {accuracy(data):.0%} of the others' villages are found")
    data.x = positions(graph, range(0, PEOPLE, PEOPLE // ANCHORS))
    print(f"with ranks and nearness to {ANCHORS}: {accuracy(data):.0%}")
    print("a graph of Lux:", to_data(lux.generate("kronecker:10,8", seed=1)))


if __name__ == "__main__":
    main()
